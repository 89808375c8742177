// Three kernels that begin before the ones before them end.
#include <cuda_runtime.h>

__global__ void quantize(const float* x, signed char* q, float* scales, int columns) {
  const int row = blockIdx.x;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    q[row * columns + i] = static_cast<signed char>(x[row * columns + i] * 127.0f);
  }
  if (threadIdx.x == 0) scales[row] = 1.0f / 127.0f;
  cudaTriggerProgrammaticLaunchCompletion();
}

__global__ void dequantize(const signed char* q, const float* scales, float* y, int columns) {
  const int row = blockIdx.x;
  cudaGridDependencySynchronize();
  const float scale = scales[row];
  for (int i = threadIdx.x; i < columns; i += blockDim.x) {
    y[row * columns + i] = scale * q[row * columns + i];
  }
}

__global__ void residual(const float* y, const float* x, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  asm volatile("griddepcontrol.wait;" ::: "memory");
  if (i < n) out[i] = y[i] + x[i];
}

void launch(const float* x, signed char* q, float* scales, float* y, float* out, int rows, int columns, cudaStream_t stream) {
  quantize<<<rows, 256, 0, stream>>>(x, q, scales, columns);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(rows);
  config.blockDim = dim3(256);
  config.stream = stream;
  cudaLaunchAttribute attrs[1];
  attrs[0].id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attrs[0].val.programmaticStreamSerializationAllowed = 1;
  config.attrs = attrs;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, dequantize, (const signed char*)q, (const float*)scales, y, columns);
  cudaLaunchConfig_t last = config;
  last.gridDim = dim3((rows * columns + 255) / 256);
  cudaLaunchKernelEx(&last, residual, (const float*)y, x, out, rows * columns);
}
