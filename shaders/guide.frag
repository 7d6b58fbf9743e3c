#version 330 core
// A line in space, soft at its sides, at its own depth.

uniform float pivot;  // depth that lies in the middle of the depth buffer
uniform float reach;  // distance from the eye at which a line is half as clear

in float across;
in float nearness;
flat in float half_width;
flat in vec4 ink;

out vec4 color;

void main() {
    float z = 1.0 / nearness;
    float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
    color = vec4(ink.rgb, ink.a * cover * reach / (reach + z));
    gl_FragDepth = z / (z + pivot);
}
