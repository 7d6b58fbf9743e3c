#version 330 core
// Colours a fragment of the pane, where OpenGL has no compute shaders, or the CPU runs them.

#include "image.glsl"

out vec4 color;

void main() {
    place = ivec2(gl_FragCoord.xy) - pane.xy;
    place.y = pane.w - 1 - place.y;  // from the top
    color = vec4(vec3(painted()) / 255.0, 1.0);
}
