#version 330 core
// Lines in space, as wide as they are said to be on the screen: instance i draws line i.
//
// The host has moved them before the eye, cut them there, and found their ends on the screen.

const int CORNERS = 6;
const ivec2 CORNER[CORNERS] =
    ivec2[](ivec2(0, 0), ivec2(1, 0), ivec2(0, 1), ivec2(1, 0), ivec2(1, 1), ivec2(0, 1));
const float SOFT = 1.0;  // pixels beside a line over which it fades

uniform sampler2D lines;  // a line a row: x0, y0, z0, x1, y1, z1, width, then red, green, blue, alpha
uniform float pane_width, pane_height;  // in pixels, as x and y, which count from the top left

out float across;   // pixels from the line's middle
out float nearness;  // 1 / z: what is linear on the screen
flat out float half_width;
flat out vec4 ink;

float said(int column) { return texelFetch(lines, ivec2(column, gl_InstanceID), 0).r; }

void main() {
    vec3 ends[2] = vec3[](vec3(said(0), said(1), said(2)), vec3(said(3), said(4), said(5)));
    vec2 along = ends[1].xy - ends[0].xy;
    along = length(along) > 0.0 ? normalize(along) : vec2(1.0, 0.0);
    ivec2 corner = CORNER[gl_VertexID % CORNERS];
    half_width = said(6) / 2.0;
    across = (half_width + SOFT) * float(2 * corner.y - 1);
    vec2 pixel = ends[corner.x].xy + across * vec2(-along.y, along.x);
    nearness = 1.0 / ends[corner.x].z;
    ink = vec4(said(7), said(8), said(9), said(10));
    vec2 spot = 2.0 * pixel / vec2(pane_width, pane_height) - 1.0;
    gl_Position = vec4(spot.x, -spot.y, 0.0, 1.0);
}
