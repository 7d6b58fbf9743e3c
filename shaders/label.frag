#version 330 core
// A short text with a dark rim, at a depth.

uniform usampler2D coverage;  // red: how much of a texel is ink; green: how much is ink or rim
uniform ivec4 pane;           // x, y, width, height; from the bottom, as gl_FragCoord
uniform float depth;          // as the depth buffer has it; 0: before everything
uniform uvec3 ink, rim;

out vec4 color;

void main() {
    ivec2 spot = ivec2(gl_FragCoord.xy) - pane.xy;
    vec2 covered = vec2(texelFetch(coverage, ivec2(spot.x, pane.w - 1 - spot.y), 0).rg) / 255.0;
    color = vec4(mix(vec3(rim), vec3(ink), covered.r) / 255.0, covered.g);
    gl_FragDepth = depth;
}
