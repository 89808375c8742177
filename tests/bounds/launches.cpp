// A runtime of CUDA that launches nothing: it prints each launch, as `name threads bytes`.

#include <cuda_runtime.h>

#include <cstdio>
#include <map>

// Kernels are registered before `main`, in constructors whose order is not known.
static std::map<void const*, char const*>& names() {
  static std::map<void const*, char const*> registered;
  return registered;
}

static dim3 grid, block;
static size_t bytes;
static cudaStream_t stream;

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle;
  return &handle;
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
char __cudaInitModule(void**) { return 1; }
void __cudaRegisterVar(void**, char*, char*, char const*, int, size_t, int, int) {}

void __cudaRegisterFunction(void**, char const* host, char*, char const* name, int, uint3*, uint3*, dim3*, dim3*, int*) {
  names()[host] = name;
}

unsigned __cudaPushCallConfiguration(dim3 of_grid, dim3 of_block, size_t dynamic, cudaStream_t on) {
  grid = of_grid;
  block = of_block;
  bytes = dynamic;
  stream = on;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* of_grid, dim3* of_block, size_t* dynamic, void* on) {
  *of_grid = grid;
  *of_block = block;
  *dynamic = bytes;
  *static_cast<cudaStream_t*>(on) = stream;
  return cudaSuccess;
}

cudaError_t CUDARTAPI cudaFuncSetAttribute(void const*, cudaFuncAttribute, int) { return cudaSuccess; }

cudaError_t CUDARTAPI cudaLaunchKernel(void const* host, dim3, dim3 of_block, void**, size_t dynamic, cudaStream_t) {
  std::printf("%s %u %zu\n", names()[host], of_block.x * of_block.y * of_block.z, dynamic);
  return cudaSuccess;
}

cudaError_t __cudaLaunchKernel(cudaKernel_t host, dim3 of_grid, dim3 of_block, void** arguments, size_t dynamic, cudaStream_t on) {
  return cudaLaunchKernel(host, of_grid, of_block, arguments, dynamic, on);
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, void const* host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}

}
