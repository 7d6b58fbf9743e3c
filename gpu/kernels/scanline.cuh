// A pixel on its way along a scanline. Scanlines are numbered by where they enter the image: through the row
// that a direction with dy != 0 meets first, then through the column that one with dx != 0 meets first; the
// corner that both share belongs to the row. Include after common.cuh.

struct Walker {
    int y, x, dy, dx, height, width;

    __device__ Walker(int line, int height, int width, int dx, int dy)
        : dy(dy), dx(dx), height(height), width(width) {
        const bool from_row = dy != 0 && line < width;
        const int down = from_row ? 0 : dy != 0 ? line - width + 1 : line;
        y = dy < 0 ? height - 1 - down : down;
        x = from_row ? line : dx < 0 ? width - 1 : 0;
    }

    __device__ bool inside() const { return 0 <= y && y < height && 0 <= x && x < width; }

    __device__ void advance() {
        y += dy;
        x += dx;
    }
};
