#version 330 core
// A character in a pixel of an image, or a line between two.

const float LINE = 0.28;  // how much of its ink covers what lies under a line
const float DARK = 0.42;  // grey level, about where black and white contrast alike

uniform usampler2D characters;  // side by side: how much of a texel is ink
uniform sampler2D shown;        // the picture so far, from the bottom
uniform int picture_height;

flat in float ink;
flat in int from;
flat in ivec2 corner;

out vec4 color;

void main() {
    ivec2 pixel = ivec2(int(gl_FragCoord.x), picture_height - 1 - int(gl_FragCoord.y)) - corner;
    float covered = float(texelFetch(characters, ivec2(max(from, 0) + pixel.x, pixel.y), 0).r) / 255.0;
    vec3 under = texelFetch(shown, ivec2(gl_FragCoord.xy), 0).rgb;
    float grey = dot(vec3(0.299, 0.587, 0.114), under);
    color = from < 0 ? vec4(vec3(grey > DARK ? 0.0 : 1.0), LINE) : vec4(vec3(ink), covered);
}
