#include <cute/tensor.hpp>
using namespace cute;

__global__ void scale(float const* p, float* q) {
  int at = blockIdx.x * 256 + threadIdx.x;
  cudaTriggerProgrammaticLaunchCompletion();
  q[at] = 2 * p[at];
}

__global__ void shift(float const* q, float* r) {
  int at = blockIdx.x * 256 + threadIdx.x;
  cudaGridDependencySynchronize();
  r[at] = q[at] + 1;
}

void launch(float const* p, float* q, float* r) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = 64;
  config.blockDim = 256;
  config.attrs = &attribute;
  config.numAttrs = 1;
  scale<<<64, 256>>>(p, q);
  cudaLaunchKernelEx(&config, shift, q, r);
}
