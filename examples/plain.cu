// Kernels without CuTe: each load and store is a layout of threads. `check --all` says which of them are slow, and
// offers the fix for the transpose; `layouts --accesses` lists all of them.
#include <cuda_runtime.h>

// The column of the tile is read from one bank: 32 wavefronts for each warp.
__global__ void transposed(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// The same with padded rows.
__global__ void padded(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][33];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = in[y * columns + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

// The same with columns that are xored with their row.
__global__ void swizzled(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
  tile[threadIdx.y][threadIdx.x ^ threadIdx.y] = in[y * columns + x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * rows + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y ^ threadIdx.x];
}

// A sum over a block: each pass halves the threads that add.
__global__ void summed(const float* in, float* out, int n) {
  __shared__ float sums[256];
  float sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) sum += in[i];
  sums[threadIdx.x] = sum;
  __syncthreads();
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    if (threadIdx.x < stride) sums[threadIdx.x] += sums[threadIdx.x + stride];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

// A stencil of five points: the tile has the neighbours of the block, too.
__global__ void blurred(const float* in, float* out, int width) {
  __shared__ float line[256 + 4];
  int x = blockIdx.x * 256 + threadIdx.x;
  line[threadIdx.x + 2] = in[x + 2];
  if (threadIdx.x < 2) {
    line[threadIdx.x] = in[x];
    line[threadIdx.x + 258] = in[x + 258];
  }
  __syncthreads();
  float sum = 0;
  for (int k = 0; k < 5; ++k) sum += line[threadIdx.x + k];
  if (x < width) out[x] = sum / 5;
}

// A product of tiles of 32 x 32.
__global__ void multiplied(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float left[32][32], right[32][32];
  int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 32) {
    left[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
    right[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + column];
    __syncthreads();
    for (int i = 0; i < 32; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

// A softmax of rows of 1,024: a warp for each row, the row in registers.
__global__ void softmax(const float* in, float* out) {
  int row = blockIdx.x * 4 + threadIdx.y;
  float values[32], most = -1e30f, sum = 0;
  for (int i = 0; i < 32; ++i) {
    values[i] = in[row * 1024 + i * 32 + threadIdx.x];
    most = fmaxf(most, values[i]);
  }
  for (int mask = 16; mask > 0; mask /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, mask));
  for (int i = 0; i < 32; ++i) sum += values[i] = expf(values[i] - most);
  for (int mask = 16; mask > 0; mask /= 2) sum += __shfl_xor_sync(~0u, sum, mask);
  for (int i = 0; i < 32; ++i) out[row * 1024 + i * 32 + threadIdx.x] = values[i] / sum;
}

void run(const float* a, const float* b, float* c, int rows, int columns, int k) {
  dim3 tiles(columns / 32, rows / 32), square(32, 32);
  transposed<<<tiles, square>>>(a, c, rows, columns);
  padded<<<tiles, square>>>(a, c, rows, columns);
  swizzled<<<tiles, square>>>(a, c, rows, columns);
  summed<<<64, 256>>>(a, c, rows * columns);
  blurred<<<columns / 256, 256>>>(a, c, columns);
  multiplied<<<tiles, square>>>(a, b, c, columns, k);
  softmax<<<rows / 4, dim3(32, 4)>>>(a, c);
}
