// A stencil of radius 3 along one axis, with a halo in shared memory.
#include <cuda_runtime.h>

#define RADIUS 3
#define BLOCK_SIZE 256

__global__ void stencil_1d(const int *in, int *out) {
  __shared__ int temp[BLOCK_SIZE + 2 * RADIUS];
  int gindex = threadIdx.x + blockIdx.x * BLOCK_SIZE + RADIUS;
  int lindex = threadIdx.x + RADIUS;
  temp[lindex] = in[gindex];
  if (threadIdx.x < RADIUS) {
    temp[lindex - RADIUS] = in[gindex - RADIUS];
    temp[lindex + BLOCK_SIZE] = in[gindex + BLOCK_SIZE];
  }
  __syncthreads();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[lindex + offset];
  out[gindex] = result;
}

__global__ void blur_2d(const float* in, float* out, int width) {
  __shared__ float tile[18][18];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int x = blockIdx.x * 16 + tx;
  const int y = blockIdx.y * 16 + ty;
  tile[ty + 1][tx + 1] = in[(y + 1) * width + x + 1];
  if (tx == 0) tile[ty + 1][0] = in[(y + 1) * width + x];
  if (tx == 15) tile[ty + 1][17] = in[(y + 1) * width + x + 2];
  if (ty == 0) tile[0][tx + 1] = in[y * width + x + 1];
  if (ty == 15) tile[17][tx + 1] = in[(y + 2) * width + x + 1];
  __syncthreads();
  out[(y + 1) * width + x + 1] =
      0.2f * (tile[ty + 1][tx + 1] + tile[ty][tx + 1] + tile[ty + 2][tx + 1] + tile[ty + 1][tx] + tile[ty + 1][tx + 2]);
}

void launch(const int *in, int *out, const float* image, float* blurred, int n, int width, int height) {
  stencil_1d<<<n / BLOCK_SIZE, BLOCK_SIZE>>>(in, out);
  dim3 threads(16, 16);
  dim3 grid((width - 2) / 16, (height - 2) / 16);
  blur_2d<<<grid, threads>>>(image, blurred, width);
}
