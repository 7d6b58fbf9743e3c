#version 330 core
// Outlines of boxes, one texel wide: instance i draws box i as four strips of two triangles.
//
// A strip covers every pixel under which one of its texels lies, so it never vanishes.  Which those
// are is searched in the table that image.frag reads its texels from; strips begin and end between
// pixels, where all rasterisers agree.

const int STRIP = 6;  // vertices of a strip
const int CORNERS[STRIP] = int[](0, 1, 2, 2, 1, 3);
const int FIRST = 1, LAST = 2;    // of a pixel's footprint: its first and its last texel
const int COLUMNS = 0, ROWS = 1;  // of the table

uniform isampler2D boxes;       // a box a row: x0, y0, x1, y1, both ends included
uniform isampler2D footprints;  // row 0: the pane's columns, row 1: its rows, from the top
uniform ivec4 shown;            // pixels that show the image: first column, row; last column, row
uniform ivec4 pane;             // x, y, width, height
uniform int rim;                // texels added to every side of a box

// The first pixel along an axis whose first or last texel is not below `texel`.
int search(int axis, int end, int texel) {
    int low = shown[axis], high = shown[axis + 2] + 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (texelFetch(footprints, ivec2(middle, axis), 0)[end] < texel)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int box_side(int side) { return texelFetch(boxes, ivec2(side, gl_InstanceID), 0).r; }

void main() {
    ivec4 box = ivec4(box_side(0), box_side(1), box_side(2), box_side(3));
    bool empty = box.z < box.x || box.w < box.y;
    box += rim * ivec4(-1, -1, 1, 1);
    ivec4 strip = box;
    int side = gl_VertexID / STRIP;
    if (side == 0) strip.w = box.y;
    if (side == 1) strip.y = box.w;
    if (side == 2) strip.z = box.x;
    if (side == 3) strip.x = box.z;
    ivec2 begin = ivec2(search(COLUMNS, LAST, strip.x), search(ROWS, LAST, strip.y));
    ivec2 end = ivec2(search(COLUMNS, FIRST, strip.z + 1), search(ROWS, FIRST, strip.w + 1));
    if (empty) end = begin;
    int corner = CORNERS[gl_VertexID % STRIP];
    vec2 pixel = vec2((corner & 1) == 0 ? begin.x : end.x, (corner & 2) == 0 ? begin.y : end.y);
    vec2 place = 2.0 * pixel / vec2(pane.zw) - 1.0;
    gl_Position = vec4(place.x, -place.y, 0.0, 1.0);
}
