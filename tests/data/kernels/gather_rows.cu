// Rows of large tables: 64-bit offsets.
#include <cuda_runtime.h>
#include <cstdint>

__global__ void copy_rows(const float* table, float* out) {
  const int64_t row = blockIdx.x;
  const int64_t width = 16384;
  for (int i = threadIdx.x; i < 16384; i += 256) {
    out[row * width + i] = table[row * width + i];
  }
}

__global__ void scale_planes(float* volume, float factor) {
  const size_t plane = 2048 * 2048;
  const size_t at = static_cast<size_t>(blockIdx.y) * plane + blockIdx.x * 1024 + threadIdx.x;
  volume[at] *= factor;
}

__global__ void fill_heads(__nv_bfloat16* cache, int64_t head_stride) {
  int64_t block = blockIdx.x;
  int64_t offset = block * 1048576 + static_cast<int64_t>(threadIdx.y) * 8192 + threadIdx.x;
  cache[offset] = __nv_bfloat16(0.0f);
}

__global__ void add_bias(float* y, const float* bias, int columns) {
  long long index = (long long)blockIdx.x * 1024 + threadIdx.x;
  long long stride = (long long)gridDim.x * 1024;
  for (int step = 0; step < 64; ++step) {
    y[index + step * stride] += bias[threadIdx.x];
  }
}

__global__ void pack(const uint8_t* in, uint8_t* out) {
  uint64_t page = blockIdx.x;
  uint64_t bytes = 1 << 20;
  out[page * bytes + threadIdx.x] = in[page * bytes + threadIdx.x * 2];
}

void launch(const float* table, float* out, float* volume, __nv_bfloat16* cache, float* y, const float* bias,
            const uint8_t* in, uint8_t* packed) {
  copy_rows<<<262144, 256>>>(table, out);
  dim3 planes(4096, 2048);
  scale_planes<<<planes, 1024>>>(volume, 2.0f);
  dim3 threads(32, 8);
  fill_heads<<<8192, threads>>>(cache, 8192);
  add_bias<<<65536, 1024>>>(y, bias, 1024);
  pack<<<16384, 128>>>(in, packed);
}
