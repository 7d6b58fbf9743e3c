#version 430 core
// Copies the picture into a window's texture, and fills what it leaves of that with one colour.

uniform uvec3 around;
uniform ivec4 place;  // of the picture in the window, from below: x, y, width, height

layout(local_size_x = 32, local_size_y = 8) in;
layout(rgba8ui, binding = 0) writeonly uniform uimage2D window;
layout(rgba8ui, binding = 1) readonly uniform uimage2D picture;

void main() {
    ivec2 at = ivec2(gl_GlobalInvocationID.xy), within = at - place.xy;
    if (any(greaterThanEqual(at, imageSize(window)))) return;
    bool covered = all(greaterThanEqual(within, ivec2(0))) && all(lessThan(within, place.zw));
    imageStore(window, at, covered ? imageLoad(picture, within) : uvec4(around, 255u));
}
