// Two kernels one behind the other with programmatic dependent launch; shared memory and attributes in the configuration.
#include <cuda_runtime.h>

constexpr int kThreads = 256;
constexpr int kRows = 16;

__global__ void row_sums(const float* in, float* sums, int columns) {
  extern __shared__ float partial[];
  const int row = blockIdx.x;
  float sum = 0.0f;
  for (int c = threadIdx.x; c < columns; c += kThreads) sum += in[row * columns + c];
  partial[threadIdx.x] = sum;
  __syncthreads();
  for (int width = kThreads / 2; width > 0; width /= 2) {
    if (threadIdx.x < width) partial[threadIdx.x] += partial[threadIdx.x + width];
    __syncthreads();
  }
  if (threadIdx.x == 0) sums[row] = partial[0];
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void scale_rows(const float* in, const float* sums, float* out, int columns) {
  const int row = blockIdx.x;
  cudaGridDependencySynchronize();
  const float factor = 1.0f / sums[row];
  for (int c = threadIdx.x; c < columns; c += kThreads) out[row * columns + c] = in[row * columns + c] * factor;
}

void normalise(const float* in, float* sums, float* out, int rows, int columns, cudaStream_t stream) {
  cudaLaunchAttribute attribute[1];
  attribute[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute[0].val.programmaticStreamSerializationAllowed = 1;

  cudaLaunchConfig_t first = {};
  first.gridDim = dim3(rows);
  first.blockDim = dim3(kThreads);
  first.dynamicSmemBytes = kThreads * sizeof(float);
  first.stream = stream;
  cudaLaunchKernelEx(&first, row_sums, in, sums, columns);

  cudaLaunchConfig_t second = {};
  second.gridDim = dim3(rows);
  second.blockDim = dim3(kThreads);
  second.stream = stream;
  second.attrs = attribute;
  second.numAttrs = 1;
  cudaLaunchKernelEx(&second, scale_rows, in, static_cast<const float*>(sums), out, columns);
}
