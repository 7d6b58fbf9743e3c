// Which check rejected a pixel, if any. Include after common.cuh.

// The first that holds, as gpu.reference.rejection_reason numbers them; `right(partner)` is the right view's
// winner in that column.
template <class Right>
__device__ int reason_of(int d, int partner, int width, bool ambiguous, bool removed, int lr_check,
                         Right right) {
    if (lr_check >= 0) {
        if (partner < 0 || partner >= width) return 1;
        if (abs(right(partner) - d) > lr_check) return 2;
    }
    return ambiguous ? 3 : removed ? 4 : 0;
}
