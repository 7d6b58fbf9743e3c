#version 430 core
// Colours the pixels of the pane in the framebuffer's texture: to draw a triangle over them takes a data
// centre's GPU, which has few units for that, many times as long.

#include "image.glsl"

layout(local_size_x = 32, local_size_y = 8) in;
layout(rgba8ui, binding = 0) writeonly uniform uimage2D picture;

void main() {
    place = ivec2(gl_GlobalInvocationID.xy);
    if (place.x >= pane.z || place.y >= pane.w) return;
    ivec2 at = pane.xy + ivec2(place.x, pane.w - 1 - place.y);  // from the bottom
    imageStore(picture, at, uvec4(painted(), 255u));
}
