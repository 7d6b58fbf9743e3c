// Shows one pane: which texels lie under a pixel, and the colour of their values; or two images of one
// size, mixed pixel by pixel.
//
// Textures hold data: grey levels, colours, disparities in 1/16 pixel, correlations.  A photo is
// averaged over the pixel when it is minified; data never is, for the mean of two disparities is
// neither: it takes the texel in the middle.  An overlay marks a pixel if it marks a texel under it.
// Every pixel's texels come from the table of viewer/display/picture/footprints.py.  What decides a colour is integer
// arithmetic, or subtractions and one multiplication of floats that no compiler may fuse, and which all
// drivers round alike: the picture is the same everywhere.
//
// image.frag and image.comp put the colours where they belong.

const int UNSIGNED = 0, SIGNED = 1, REAL = 2, COLOR = 3;  // kinds of textures
const int WEIGHT = 256;         // of a texel that lies under the pixel as a whole
const int LONGEST = 16;         // texels averaged along each axis; of more, evenly spaced ones
const int INVALID_ENTRY = 256;  // of a colour map
const int FULL_SHARE = 256;     // of an onion: the second image alone

// What becomes of the second image, if there is one.
const int ALONE = 0, ANAGLYPH = 1, WIPE = 2, WIPE_DOWN = 3, ONION = 4, DIFFERENCE = 5,
          SIGNED_DIFFERENCE = 6;

// What decides the way through the code. Mesa's software renderer goes through all the code there is for every
// pixel, so it is given these as constants, and a compiler leaves out the rest: see viewer/display/screen/branches.py.
#ifndef BRANCHES_KNOWN
uniform int way;             // ALONE or another
uniform bool minified;       // whether several texels may lie under a pixel
uniform int kind[2];
uniform bool photo[2];       // shown as it is: no range, no colour map
uniform bool has_invalid[2];
uniform bool has_overlay[2];
uniform bool has_truth[2];
uniform bool hatches[2];     // disparities that lead out of the other view
#endif

// One or two images and their looks.
uniform usampler2D unsigned_texels[2];  // UNSIGNED and COLOR
uniform isampler2D signed_texels[2];
uniform sampler2D real_texels[2];
uniform float low[2];       // entry = floor((value - low) * entries)
uniform float entries[2];   // entries of the colour map a stored step
uniform int invalid[2];     // the stored value of pixels without a value, a float's as its bits
uniform int colormap[2];    // row of the palette
uniform float steps[2];     // stored steps a pixel of disparity

uniform usampler2D palette;     // a colour map a row
uniform isampler2D footprints;  // row 0: the pane's columns, row 1: its rows, from the top
uniform usampler2D overlays[2];  // of each image: drawn in `mark` where it is not 0
uniform sampler2D truths[2];     // of each image: what it should hold; NaN unknown, infinite not judged
uniform uvec3 no_result, unjudged;
uniform uvec3 mark;
uniform int amount;              // WIPE: the first pixel of the second image; ONION: its share
uniform uvec3 ink, casing;       // of the seam
uniform float difference_low;    // as `low`, `entries` and `colormap`, for the difference
uniform float difference_entries;
uniform int difference_colormap;
uniform uvec3 lone[2];           // where only one image has a value
uniform ivec4 hatching;          // phase, distance and width of its lines in pixels; the last column
uniform ivec4 pane;             // x, y, width, height; from the bottom of the framebuffer
uniform uvec3 background;

ivec2 place;  // in the pane, from the top left

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

// A quotient up to 255 of a divisor below 2^24: that of floats is at most one off.
uvec3 quotient(uvec3 dividend, uint divisor) {
    uvec3 found = uvec3(vec3(dividend) / float(divisor));
    ivec3 rest = ivec3(dividend - found * divisor);
    return found + uvec3(greaterThanEqual(rest, ivec3(divisor))) - uvec3(lessThan(rest, ivec3(0)));
}

// The mean over the pixel, halves rounded up.  No sum exceeds 32 bits: LONGEST and WEIGHT see to it.
uvec3 photo_average(usampler2D texels, bool colored, ivec4 column, ivec4 row) {
    if (!minified) return photo_texel(texels, colored, ivec2(column.x, row.x));
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
    return quotient(sum + total / 2u, total);
}

bool is_finite(float value) {  // by its bits: isinf and isnan may be optimised away
    return (floatBitsToInt(value) & 0x7f800000) != 0x7f800000;
}

bool is_infinite(float value) { return (floatBitsToInt(value) & 0x7fffffff) == 0x7f800000; }

uvec3 mapped(float value, bool valid, float low, float entries, int map) {
    int entry = int(clamp(floor((value - low) * entries), 0.0, 255.0));
    return texelFetch(palette, ivec2(valid ? entry : INVALID_ENTRY, map), 0).rgb;
}

struct Stored {
    int whole;  // of an integer image
    float real;
    bool valid;
};

// Samplers cannot be chosen at run time, so those of an image are passed on from below.
Stored stored(int image, usampler2D unsigneds, isampler2D signeds, sampler2D reals, ivec2 texel) {
    Stored value;
    if (kind[image] == UNSIGNED) {
        uint whole = texelFetch(unsigneds, texel, 0).r;
        value = Stored(int(whole), float(whole), int(whole) != invalid[image]);
    } else if (kind[image] == SIGNED) {
        int whole = texelFetch(signeds, texel, 0).r;
        value = Stored(whole, float(whole), whole != invalid[image]);
    } else {
        float real = texelFetch(reals, texel, 0).r;
        value = Stored(0, real, real != intBitsToFloat(invalid[image]));
        if (!is_finite(real)) return Stored(0, 0.0, false);
    }
    value.valid = value.valid || !has_invalid[image];
    return value;
}

// How far a value is from the truth.
uvec3 error(int image, Stored value, float truth) {
    if (is_infinite(truth)) return unjudged;
    bool known = is_finite(truth);
    if (known && !value.valid) return no_result;
    float apart = known ? abs(value.real - truth) : 0.0;
    return mapped(apart, known, low[image], entries[image], colormap[image]);
}

uint grey(uvec3 rgb) {  // as cv2.cvtColor
    return (9798u * rgb.r + 19235u * rgb.g + 3735u * rgb.b + 16384u) >> 15;
}

// Whether a disparity leads from a column to none of the other view, to the nearest one.
bool leads_out(int image, Stored value, int column) {
    float match = float(column) * steps[image] - value.real;
    return value.valid && (match < -0.5 * steps[image] ||
                           match > (float(hatching.w) + 0.5) * steps[image]);
}

// A colour with lines over it, darker or lighter than it is.
uvec3 hatched(uvec3 rgb) {
    if ((place.x + place.y + hatching.x) % hatching.y >= hatching.z) return rgb;
    return grey(rgb) > 127u ? rgb * 9u / 16u : rgb + (255u - rgb) * 7u / 16u;
}

uvec3 shade(int image, usampler2D unsigneds, isampler2D signeds, sampler2D reals, sampler2D truth,
            ivec4 column, ivec4 row) {
    if (photo[image]) return photo_average(unsigneds, kind[image] == COLOR, column, row);
    ivec2 texel = ivec2(column.x, row.x);
    Stored value = stored(image, unsigneds, signeds, reals, texel);
    if (has_truth[image]) return error(image, value, texelFetch(truth, texel, 0).r);
    uvec3 rgb = mapped(value.real, value.valid, low[image], entries[image], colormap[image]);
    return hatches[image] && leads_out(image, value, texel.x) ? hatched(rgb) : rgb;
}

uvec3 first(ivec4 column, ivec4 row) {
    return shade(0, unsigned_texels[0], signed_texels[0], real_texels[0], truths[0], column, row);
}

uvec3 second(ivec4 column, ivec4 row) {
    return shade(1, unsigned_texels[1], signed_texels[1], real_texels[1], truths[1], column, row);
}

// The difference of integers is exact; that of anything else is rounded once.
uvec3 difference(ivec2 texel) {
    Stored a = stored(0, unsigned_texels[0], signed_texels[0], real_texels[0], texel);
    Stored b = stored(1, unsigned_texels[1], signed_texels[1], real_texels[1], texel);
    if (a.valid != b.valid) return lone[a.valid ? 0 : 1];
    bool whole = kind[0] != REAL && kind[1] != REAL;
    float apart = whole ? float(a.whole - b.whole) : a.real - b.real;
    if (way == DIFFERENCE) apart = abs(apart);
    return mapped(apart, a.valid, difference_low, difference_entries, difference_colormap);
}

// Whether an overlay is set anywhere under the pixel: a line of one texel does not vanish.
bool marked(usampler2D overlay, ivec4 column, ivec4 row) {
    if (!minified) return texelFetch(overlay, ivec2(column.x, row.x), 0).r != 0u;
    ivec2 step = stride(column, row);
    for (int y = row.y; y <= row.z; y += step.y)
        for (int x = column.y; x <= column.z; x += step.x)
            if (texelFetch(overlay, ivec2(x, y), 0).r != 0u) return true;
    return false;
}

uvec3 anaglyph(uvec3 left, uvec3 right) { return uvec3(grey(left), uvec2(grey(right))); }

uvec3 onion(uvec3 below, uvec3 above) {
    uint share = uint(amount), rest = uint(FULL_SHARE) - share;
    return (rest * below + share * above + uint(FULL_SHARE) / 2u) / uint(FULL_SHARE);
}

// Whatever the way, the colours of an image are computed in one place: functions are copied to where they are called.
// `beyond`: pixels from the seam.
uvec3 mixed(ivec4 column, ivec4 row, int beyond) {
    bool wipes = way == WIPE || way == WIPE_DOWN;
    bool differs = way == DIFFERENCE || way == SIGNED_DIFFERENCE;
    bool has_first = !wipes || beyond < 0;
    bool has_second = wipes ? beyond >= 0 : way != ALONE;
    bool marks_first = has_first && has_overlay[0] && marked(overlays[0], column, row);
    bool marks_second = has_second && has_overlay[1] && marked(overlays[1], column, row);
    if ((differs || way == ANAGLYPH) && (marks_first || marks_second)) return mark;
    if (differs) return difference(ivec2(column.x, row.x));
    uvec3 one = mark, other = mark;
    if (has_first && !marks_first) one = first(column, row);
    if (has_second && !marks_second) other = second(column, row);
    if (way == ANAGLYPH) return anaglyph(one, other);
    if (way == ONION) return onion(one, other);
    return has_first ? one : other;
}

// The colour of the pixel at `place`.
uvec3 painted() {
    ivec4 column = texelFetch(footprints, ivec2(place.x, 0), 0);
    ivec4 row = texelFetch(footprints, ivec2(place.y, 1), 0);
    int beyond = (way == WIPE ? place.x : place.y) - amount;
    if (way == WIPE || way == WIPE_DOWN) {
        if (beyond == -2 || beyond == 1) return casing;
        if (beyond == -1 || beyond == 0) return ink;
    }
    return column.x >= 0 && row.x >= 0 ? mixed(column, row, beyond) : background;
}
