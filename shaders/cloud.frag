#version 330 core
// The colour of a point or of the mesh, and which texel it is; or the mark of one point, a ring.
//
// Nothing is discarded: points that another hides can then be left out before they are shaded.

const float RING = 0.66, CASING = 0.3;  // of a mark, in halves of its side: middle, half its width

uniform int columns;  // texels a row of the image
uniform int marker;   // side in pixels of the mark; 0: no mark

in vec3 light;
in vec2 place;

layout(location = 0) out vec4 color;
layout(location = 1) out int texel;  // counted from 1 along rows; 0: none

void main() {
    color = vec4(light, 1.0);
    texel = int(floor(place.y + 0.5)) * columns + int(floor(place.x + 0.5)) + 1;
    if (marker > 0) {
        float off = abs(length(2.0 * gl_PointCoord - 1.0) - RING);
        color = vec4(vec3(off < CASING / 2.0 ? 1.0 : 0.0), off > CASING ? 0.0 : 1.0);
    }
}
