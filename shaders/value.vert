#version 330 core
// Characters written into the pixels of an image, and the lines between these: instance i draws the
// rectangle that entry i of a table tells, in black or white, whichever shows better there.

const int CORNERS = 6;
const ivec2 CORNER[CORNERS] =
    ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(1, 0), ivec2(1, 1), ivec2(0, 1));
const float DARK = 0.179;  // luminance that contrasts as much with black as with white

// Two texels an entry: left, top, width, height in pixels from the picture's top left; then its left
// end in the row of characters, or -1 for a line, and the pixel whose colour it is written on.
uniform isampler2D entries;
uniform int across;  // entries in a row of the table
uniform sampler2D shown;  // the picture so far, from the bottom
uniform int picture_width, picture_height;

flat out float ink;
flat out int from;   // left end in the row of characters
flat out ivec2 corner;  // of the rectangle, in pixels from the picture's top left

float linear(float level) { return level <= 0.04045 ? level / 12.92 : pow((level + 0.055) / 1.055, 2.4); }

float luminance(vec3 rgb) {
    return dot(vec3(0.2126, 0.7152, 0.0722), vec3(linear(rgb.r), linear(rgb.g), linear(rgb.b)));
}

void main() {
    ivec2 entry = ivec2(2 * (gl_InstanceID % across), gl_InstanceID / across);
    ivec4 place = texelFetch(entries, entry, 0), rest = texelFetch(entries, entry + ivec2(1, 0), 0);
    ivec2 under = ivec2(rest.y, picture_height - 1 - rest.z);
    ink = luminance(texelFetch(shown, under, 0).rgb) > DARK ? 0.0 : 1.0;
    from = rest.x;
    corner = place.xy;
    vec2 pixel = vec2(place.xy + place.zw * CORNER[gl_VertexID % CORNERS]);
    vec2 spot = 2.0 * pixel / vec2(picture_width, picture_height) - 1.0;
    gl_Position = vec4(spot.x, -spot.y, 0.0, 1.0);
}
