#version 330 core
// Points of a disparity image in space, or the mesh between them, from vertex numbers alone.
//
// A point is a square that covers what its pixel covers there: from the left camera's own place
// exactly the pixels that image.frag gives to the texel.  The mesh joins the middles of neighbouring
// texels.  Whatever has no place lies outside the clip volume.

const int UNSIGNED = 0, SIGNED = 1, COLOR = 3;  // kinds of textures
const int INVALID_ENTRY = 256;                  // of a colour map
const int CORNERS = 6;                          // of two triangles between four texels
const ivec2 CORNER[CORNERS] =
    ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(1, 0), ivec2(1, 1), ivec2(0, 1));
const vec4 NOWHERE = vec4(2.0, 2.0, 2.0, 1.0);
const float HAIR = 1e-3;  // of a pixel: what rounding may add to a size
const float MOST_GAPS = 4.0;  // of a pixel's own sizes that a point grows to for its neighbours
const int LEAST_SHARE = 3, SHARES = 10;  // of the light that remains beside the region

uniform isampler2D disparities;
uniform bool has_invalid;
uniform int invalid;       // the stored value of texels without a disparity
uniform float scale;       // pixels of disparity a stored unit
uniform float offset;      // added to a disparity before it becomes a depth
uniform float depth_one;   // depth of one pixel of disparity: baseline times focal length
uniform float focal, principal_x, principal_y;  // of the left camera, in texels
uniform mat4 clip;         // from the left camera's places to clip coordinates, but for depth
uniform float pivot;       // depth that lies in the middle of the depth buffer
uniform float closest;     // distance from the eye up to which nothing is drawn
uniform float pane_width, pane_height;  // in pixels
uniform float pixels;      // of the screen a texel, seen from the left camera
uniform bool turned;       // the eye is elsewhere: gaps between neighbours are covered
uniform int largest;       // side of a point in pixels
uniform int stride;        // texels from one point to the next, along rows and columns; 1 in a mesh
uniform bool mesh;
uniform int jump;          // stored units that neighbours on one surface may be apart
uniform int marker;        // side in pixels of the mark drawn for one point; 0: no mark
uniform ivec4 region;      // x, y, width, height of the texels that keep their light; or no width

uniform usampler2D unsigned_colors;  // UNSIGNED and COLOR
uniform isampler2D signed_colors;
uniform usampler2D palette;  // a colour map a row
uniform int color_kind;
uniform bool photo;          // its colours are shown as they are
uniform float color_low;     // entry = floor((value - color_low) * color_entries)
uniform float color_entries;
uniform bool color_has_invalid;
uniform int color_invalid;
uniform int colormap;

out vec3 light;
out vec2 place;  // texel, for the middle of a point or between those of a triangle

bool known(int stored) { return !(has_invalid && stored == invalid) && scale * stored + offset > 0.0; }

int stored_at(ivec2 texel) { return texelFetch(disparities, texel, 0).r; }

float depth_of(int stored) { return depth_one / (float(stored) * scale + offset); }

// Where a texel lies: in clip coordinates, but for depth.
vec4 position(ivec2 texel, float depth) {
    vec2 ray = (vec2(texel) - vec2(principal_x, principal_y)) / focal;
    return clip * vec4(ray * depth, depth, 1.0);
}

// z / (z + pivot) of the depth buffer, as viewer/display/picture/space.py has it.
vec4 with_depth(vec4 position) {
    float z = position.w;
    return z < closest ? NOWHERE : vec4(position.xy, z * (z - pivot) / (z + pivot), z);
}

uvec3 mapped(int stored) {
    int entry = int(clamp(floor((float(stored) - color_low) * color_entries), 0.0, 255.0));
    bool valid = !(color_has_invalid && stored == color_invalid);
    return texelFetch(palette, ivec2(valid ? entry : INVALID_ENTRY, colormap), 0).rgb;
}

uvec3 color_of(ivec2 texel) {
    if (color_kind == SIGNED) return mapped(texelFetch(signed_colors, texel, 0).r);
    uvec3 rgb = texelFetch(unsigned_colors, texel, 0).rgb;
    if (!photo) return mapped(int(rgb.r));
    return color_kind == COLOR ? rgb : rgb.rrr;
}

uvec3 lit(ivec2 texel) {
    ivec2 within = texel - region.xy;
    bool inside = all(greaterThanEqual(within, ivec2(0))) && all(lessThan(within, region.zw));
    uvec3 rgb = color_of(texel);
    return region.z == 0 || inside ? rgb : rgb * uint(LEAST_SHARE) / uint(SHARES);
}

// Whether the corners of a triangle are all known and none lies beyond a jump.
bool joined(ivec2 first, int triangle) {
    int least = 0x7fffffff, most = -0x7fffffff;
    for (int corner = 0; corner < 3; ++corner) {
        int stored = stored_at(first + CORNER[3 * triangle + corner]);
        if (!known(stored)) return false;
        least = min(least, stored);
        most = max(most, stored);
    }
    return most - least <= jump;
}

// How many pixels a neighbour on the same surface lies apart, at most as many as cover most gaps.
float gap(ivec2 texel, ivec2 step, int stored, vec4 here) {
    ivec2 beside = texel + stride * step;
    if (any(greaterThanEqual(beside, textureSize(disparities, 0)))) return 0.0;
    int other = stored_at(beside);
    if (!known(other) || abs(other - stored) > jump * stride) return 0.0;
    vec4 there = position(beside, depth_of(other));
    vec2 apart = abs(there.xy / there.w - here.xy / here.w) * vec2(pane_width, pane_height) / 2.0;
    return max(apart.x, apart.y);
}

// The side of a point in pixels: what its pixel covers there, and until its neighbours if turned.
float side_of(ivec2 texel, int stored, float depth, vec4 here) {
    float side = pixels * float(stride) * depth / here.w;
    if (!turned) return ceil(side - HAIR);
    float reach = max(gap(texel, ivec2(1, 0), stored, here), gap(texel, ivec2(0, 1), stored, here));
    return ceil(clamp(reach, side, MOST_GAPS * side) - HAIR) + 1.0;
}

// The texel of a number that counts along rows of so many, so many texels apart.
ivec2 texel_of(int number, int columns, int apart) {
    return apart * ivec2(number % columns, number / columns);
}

void main() {
    int width = textureSize(disparities, 0).x, corner = gl_VertexID % CORNERS;
    bool shown = true;
    ivec2 texel;
    if (mesh) {
        texel = texel_of(gl_VertexID / CORNERS, width - 1, 1);
        shown = joined(texel, corner / 3);
        texel += CORNER[corner];
    } else {
        texel = texel_of(gl_VertexID, (width + stride - 1) / stride, stride);
    }
    int stored = stored_at(texel);
    gl_Position = NOWHERE;
    gl_PointSize = 1.0;
    light = vec3(0.0);
    place = vec2(texel);
    if (!shown || !known(stored)) return;
    float depth = depth_of(stored);
    vec4 here = position(texel, depth);
    gl_Position = with_depth(here);
    float side = marker > 0 || mesh ? float(marker) : side_of(texel, stored, depth, here);
    gl_PointSize = clamp(side, 1.0, float(largest));
    light = vec3(lit(texel)) / 255.0;
}
