#version 330 core
// Shows one pane: which texels lie under a pixel, and the colour of their values.
//
// Textures hold data: grey levels, colours, disparities in 1/16 pixel, correlations.  A photo is
// averaged over the pixel when it is minified; data never is, for the mean of two disparities is
// neither: it takes the texel in the middle.  An overlay marks a pixel if it marks a texel under it.
// Every pixel's texels come from a table made by viewer/layout.py.  What decides a colour is integer arithmetic, or one subtraction and one
// multiplication of floats, which all drivers round alike: the picture is the same everywhere.

const int UNSIGNED = 0, SIGNED = 1, REAL = 2, COLOR = 3;  // kinds of textures
const int WEIGHT = 256;         // of a texel that lies under the pixel as a whole
const int LONGEST = 16;         // texels averaged along each axis; of more, evenly spaced ones
const int INVALID_ENTRY = 256;  // of a colour map

// An image and its look; the second is there in an anaglyph only.
uniform usampler2D unsigned_texels[2];  // UNSIGNED and COLOR
uniform isampler2D signed_texels[2];
uniform sampler2D real_texels[2];
uniform int kind[2];
uniform bool photo[2];      // shown as it is: no range, no colour map
uniform float low[2];       // entry = floor((value - low) * entries)
uniform float entries[2];   // entries of the colour map a stored step
uniform bool has_invalid[2];
uniform int invalid[2];     // the stored value of pixels without a value, a float's as its bits
uniform int colormap[2];    // row of the palette

uniform usampler2D palette;     // a colour map a row
uniform isampler2D footprints;  // row 0: the pane's columns, row 1: its rows, from the top
uniform usampler2D overlay;     // drawn in `mark` where it is not 0
uniform bool has_overlay;
uniform uvec3 mark;
uniform ivec4 pane;             // x, y, width, height; from the bottom, as gl_FragCoord
uniform bool anaglyph;
uniform uvec3 background;

out vec4 color;

uvec3 photo_texel(usampler2D texels, bool colored, ivec2 texel) {
    uvec3 value = texelFetch(texels, texel, 0).rgb;
    return colored ? value : value.rrr;
}

uint weight(int texel, ivec4 footprint) {
    if (texel == footprint.y) return uint(footprint.w & 0xffff);
    if (texel == footprint.z) return uint(footprint.w >> 16);
    return uint(WEIGHT);
}

// The distance of the texels read of those under the pixel.
ivec2 stride(ivec4 column, ivec4 row) {
    return (ivec2(column.z, row.z) - ivec2(column.y, row.y)) / LONGEST + 1;
}

// The mean over the pixel, halves rounded up.  No sum exceeds 32 bits: LONGEST and WEIGHT see to it.
uvec3 photo_average(usampler2D texels, bool colored, ivec4 column, ivec4 row) {
    ivec2 step = stride(column, row);
    uvec3 sum = uvec3(0u);
    uint total = 0u;
    for (int y = row.y; y <= row.z; y += step.y) {
        uint weight_y = weight(y, row);
        for (int x = column.y; x <= column.z; x += step.x) {
            uint weight_xy = weight_y * weight(x, column);
            sum += weight_xy * photo_texel(texels, colored, ivec2(x, y));
            total += weight_xy;
        }
    }
    return (sum + total / 2u) / total;
}

bool is_finite(float value) {  // by its bits: isinf and isnan may be optimised away
    return (floatBitsToInt(value) & 0x7f800000) != 0x7f800000;
}

uvec3 mapped(float value, bool valid, float low, float entries, int map) {
    int entry = int(clamp(floor((value - low) * entries), 0.0, 255.0));
    return texelFetch(palette, ivec2(valid ? entry : INVALID_ENTRY, map), 0).rgb;
}

// Samplers cannot be chosen at run time, so main() passes each image's three.
uvec3 shade(int image, usampler2D unsigneds, isampler2D signeds, sampler2D reals, ivec4 column,
            ivec4 row) {
    if (photo[image]) return photo_average(unsigneds, kind[image] == COLOR, column, row);
    ivec2 texel = ivec2(column.x, row.x);
    float value;
    bool valid;
    if (kind[image] == UNSIGNED) {
        uint stored = texelFetch(unsigneds, texel, 0).r;
        value = float(stored);
        valid = int(stored) != invalid[image];
    } else if (kind[image] == SIGNED) {
        int stored = texelFetch(signeds, texel, 0).r;
        value = float(stored);
        valid = stored != invalid[image];
    } else {
        value = texelFetch(reals, texel, 0).r;
        valid = value != intBitsToFloat(invalid[image]);
        if (!is_finite(value)) return mapped(0.0, false, 0.0, 0.0, colormap[image]);
    }
    valid = valid || !has_invalid[image];
    return mapped(value, valid, low[image], entries[image], colormap[image]);
}

// Whether the overlay is set anywhere under the pixel: a line of one texel does not vanish.
bool marked(ivec4 column, ivec4 row) {
    ivec2 step = stride(column, row);
    for (int y = row.y; y <= row.z; y += step.y)
        for (int x = column.y; x <= column.z; x += step.x)
            if (texelFetch(overlay, ivec2(x, y), 0).r != 0u) return true;
    return false;
}

uint grey(uvec3 rgb) {  // as cv2.cvtColor
    return (9798u * rgb.r + 19235u * rgb.g + 3735u * rgb.b + 16384u) >> 15;
}

void main() {
    ivec2 place = ivec2(gl_FragCoord.xy) - pane.xy;
    ivec4 column = texelFetch(footprints, ivec2(place.x, 0), 0);
    ivec4 row = texelFetch(footprints, ivec2(pane.w - 1 - place.y, 1), 0);
    uvec3 rgb = background;
    if (column.x >= 0 && row.x >= 0) {
        rgb = shade(0, unsigned_texels[0], signed_texels[0], real_texels[0], column, row);
        if (anaglyph) {
            uvec3 second =
                shade(1, unsigned_texels[1], signed_texels[1], real_texels[1], column, row);
            rgb = uvec3(grey(rgb), grey(second), grey(second));
        }
        if (has_overlay && marked(column, row)) rgb = mark;
    }
    color = vec4(vec3(rgb) / 255.0, 1.0);
}
