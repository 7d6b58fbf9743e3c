#version 330 core
// One colour.

uniform uvec3 ink;

out vec4 color;

void main() { color = vec4(vec3(ink) / 255.0, 1.0); }
