#version 430 core
// Fills the framebuffer's texture with one colour.

uniform uvec3 around;

layout(local_size_x = 32, local_size_y = 8) in;
layout(rgba8ui, binding = 0) writeonly uniform uimage2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy);
    if (all(lessThan(at, imageSize(picture)))) imageStore(picture, at, uvec4(around, 255u));
}
