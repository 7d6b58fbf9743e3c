// Two sums of a pixel in a word: its winner's, and above that the smallest of disparities more than one away.
// Include after common.cuh.

__device__ inline uint32_t pair_of(uint32_t winners, uint32_t rivals) { return rivals << 16 | winners; }
__device__ inline uint32_t winners_sum(uint32_t pair) { return pair & 0xFFFF; }
__device__ inline uint32_t rivals_sum(uint32_t pair) { return pair >> 16; }

// Tell whether the rival comes closer to the winner than `uniqueness` per cent allow.
__device__ inline bool is_rivalled(uint32_t pair, int uniqueness) {
    return rivals_sum(pair) * (100 - uniqueness) < winners_sum(pair) * 100;
}
