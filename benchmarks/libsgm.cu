// Times libSGM on a pair, for benchmarks/libsgm.py, which compiles this together with libSGM's own files.

#include <libsgm.h>

#include <cstdint>
#include <vector>

#include <cuda_runtime.h>

// Writes the milliseconds of frames that are queued one after the other, from GPU memory to GPU memory; returns CUDA's
// first error, or 0.
extern "C" int time_libsgm(const uint8_t* left, const uint8_t* right, int height, int width, int disparities,
                           int paths, int frames, float* milliseconds) {
    const size_t count = size_t(height) * width;
    uint8_t* views[2];
    uint16_t* disparity;
    cudaMalloc(&views[0], count);
    cudaMalloc(&views[1], count);
    cudaMalloc(&disparity, count * sizeof(uint16_t));
    cudaMemcpy(views[0], left, count, cudaMemcpyHostToDevice);
    cudaMemcpy(views[1], right, count, cudaMemcpyHostToDevice);
    {
        const sgm::PathType type = paths == 4 ? sgm::PathType::SCAN_4PATH : sgm::PathType::SCAN_8PATH;
        const sgm::StereoSGM::Parameters parameters(10, 120, 0.95f, true, type);
        sgm::StereoSGM matcher(width, height, disparities, 8, 16, sgm::EXECUTE_INOUT_CUDA2CUDA, parameters);
        std::vector<cudaEvent_t> marks(frames + 1);
        for (cudaEvent_t& mark : marks)
            cudaEventCreate(&mark);
        for (int frame = 0; frame < 5; ++frame)  // until its memory is allocated and the clock is up
            matcher.execute(views[0], views[1], disparity);
        cudaEventRecord(marks[0]);
        for (int frame = 0; frame < frames; ++frame) {
            matcher.execute(views[0], views[1], disparity);
            cudaEventRecord(marks[frame + 1]);
        }
        cudaDeviceSynchronize();
        for (int frame = 0; frame < frames; ++frame)
            cudaEventElapsedTime(&milliseconds[frame], marks[frame], marks[frame + 1]);
        for (cudaEvent_t& mark : marks)
            cudaEventDestroy(mark);
    }
    cudaFree(views[0]);
    cudaFree(views[1]);
    cudaFree(disparity);
    return cudaGetLastError();
}
