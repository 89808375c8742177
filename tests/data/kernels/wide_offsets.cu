// Offsets that need 64 bits: pages of a cache, planes of a volume, rows of a table, each with its launch.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

__global__ void copy_tokens(const half* __restrict__ in, half* __restrict__ out) {
  int64_t token = blockIdx.x;
  const int64_t hidden = 8192;
  for (int i = threadIdx.x; i < 8192; i += blockDim.x) {
    out[token * hidden + i] = in[token * hidden + i];
  }
}

__global__ void clear_planes(float* volume, int width) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x;
  const int y = blockIdx.y;
  const int64_t plane = static_cast<int64_t>(blockIdx.z) * 2048 * 4096;
  if (x < width) {
    volume[plane + y * 2048 + x] = 0.0f;
  }
}

__global__ void gather_pages(const float* pages, float* out) {
  const int head = blockIdx.y;
  const size_t page = static_cast<size_t>(blockIdx.x) * 65536;
  out[size_t(blockIdx.x) * 65536 + head * 128 + threadIdx.x] = pages[page + head * 128 + threadIdx.x];
}

__global__ void scatter_rows(const float* from, float* to, int rows) {
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  for (int row = blockIdx.x * 8 + warp; row < 1048576; row += gridDim.x * 8) {
    float* there = to + int64_t(row) * 4096;
    for (int c = lane; c < 4096; c += 32) {
      there[c] = from[static_cast<int64_t>(row) * 4096 + c];
    }
  }
}

__global__ void add_columns(const float* a, float* sums) {
  const int64_t column = blockIdx.x * 256 + threadIdx.x;
  float sum = 0.0f;
  for (int64_t row = 0; row < 262144; ++row) {
    sum += a[row * 16384 + column];
  }
  sums[column] = sum;
}

void launch(const half* in, half* out, float* volume, const float* pages, float* to, float* sums) {
  copy_tokens<<<524288, 256>>>(in, out);
  dim3 planes(8, 4096, 1024);
  clear_planes<<<planes, 256>>>(volume, 2048);
  dim3 heads(131072, 8);
  gather_pages<<<heads, 128>>>(pages, to);
  scatter_rows<<<1024, 256>>>(pages, to, 1048576);
  add_columns<<<64, 256>>>(pages, sums);
}
