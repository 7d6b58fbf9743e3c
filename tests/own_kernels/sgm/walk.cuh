// A thread for each path. LEFT is the type of the left view, GREY(y, x) reads it.

extern "C" __global__ void path_aggregation(LEFT left, const uint8_t* __restrict__ cost, uint16_t* path_costs,
                                            int height, int width, int length, int p1, int p2,
                                            int p2_adaptation, int dx, int dy, int sweep) {
    int y, x;
    if (!begin_path(blockIdx.x * blockDim.x + threadIdx.x, height, width, dx, dy, y, x)) return;
    uint64_t pixel = at(y, x, width, length);
    for (int d = 0; d < length; ++d)
        path_costs[pixel + d] = cost[pixel + d];
    int level = GREY(y, x);
    for (y += dy, x += dx; y >= 0 && y < height && x >= 0 && x < width; y += dy, x += dx) {
        const uint16_t* before = path_costs + pixel;
        pixel = at(y, x, width, length);
        const int here = GREY(y, x), penalty = large_penalty(p1, p2, abs(here - level));
        level = here;
        int least = before[0];
        for (int d = 1; d < length; ++d)
            least = min(least, int(before[d]));
        for (int d = 0; d < length; ++d) {
            int best = min(int(before[d]), least + penalty);
            if (d > 0) best = min(best, before[d - 1] + p1);
            if (d < length - 1) best = min(best, before[d + 1] + p1);
            path_costs[pixel + d] = cost[pixel + d] + best - least;
        }
    }
}
