/* A driver's library that stands in for NVIDIA's: it answers every call that the runner makes, keeps "device" memory in the
   process, and does what three kernels would do for a layout in order. STANDIN names a fault,
   STANDIN_PID a file into which the process is written. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <stdint.h>

typedef struct { uint64_t at; size_t bytes; } memory;
static memory memories[64];

static int is(const char *fault) {
  const char *asked = getenv("STANDIN");
  return asked && !strcmp(asked, fault);
}
static size_t bytes_of(uint64_t at) {
  for (int i = 0; i < 64; ++i) if (memories[i].at == at) return memories[i].bytes;
  return 0;
}

int cuInit(unsigned flags) { return is("no device") ? 100 : 0; }
int cuDriverGetVersion(int *version) { *version = 12080; return 0; }
int cuDeviceGetCount(int *count) { *count = 1; return 0; }
int cuDeviceGet(int *device, int ordinal) { *device = ordinal; return 0; }
int cuDeviceGetName(char *name, int length, int device) { strncpy(name, "Stand-in", length); return 0; }
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  int old = is("old");
  *value = attribute == 75 ? (old ? 8 : 9) : attribute == 38 ? 1 << 20 : attribute == 16 ? 1 : 0;
  return 0;
}
int cuDevicePrimaryCtxRetain(void **context, int device) { *context = (void *)1; return 0; }
int cuDevicePrimaryCtxRelease_v2(int device) { return 0; }
int cuCtxSetCurrent(void *context) { return 0; }
int cuCtxSynchronize(void) {
  const char *note = getenv("STANDIN_PID");
  if (note) {
    FILE *file = fopen(note, "w");
    fprintf(file, "%d", getpid());
    fclose(file);
  }
  if (is("hang")) sleep(600);
  return is("illegal address") ? 700 : 0;
}
int cuMemGetInfo_v2(size_t *free, size_t *total) { *free = *total = is("full") ? 16 : 1 << 30; return 0; }
int cuMemAlloc_v2(uint64_t *at, size_t bytes) {
  *at = (uint64_t)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
  for (int i = 0; i < 64; ++i) if (!memories[i].at) { memories[i].at = *at; memories[i].bytes = bytes; return 0; }
  return 2;
}
int cuMemFree_v2(uint64_t at) {
  for (int i = 0; i < 64; ++i) if (memories[i].at == at) memories[i].at = 0;
  free((void *)(uintptr_t)at);
  return 0;
}
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) { memcpy((void *)(uintptr_t)to, from, bytes); return 0; }
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) { memcpy(to, (void *)(uintptr_t)from, bytes); return 0; }
int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes, void *stream) { return 0; }
int cuMemsetD8_v2(uint64_t to, unsigned char value, size_t bytes) { memset((void *)(uintptr_t)to, value, bytes); return 0; }
int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  *module = (void *)1;
  if (!is("refused")) return 0;
  strncpy(values[0], "ptxas error : Unexpected instruction", (size_t)values[1]);
  return 218;
}
int cuModuleUnload(void *module) { return 0; }
int cuModuleGetFunction(void **function, void *module, const char *name) { *function = strdup(name); return 0; }
int cuFuncGetAttribute(int *value, int attribute, void *function) { *value = 32; return 0; }
int cuFuncSetAttribute(void *function, int attribute, int value) { return 0; }
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **extra) {
  if (is("crash")) abort();
  uint64_t first = *(uint64_t *)parameters[0];
  if (!strcmp(function, "layout_offsets")) {
    uint32_t count = *(uint32_t *)parameters[1];
    for (uint32_t i = 0; i < count; ++i) ((int64_t *)(uintptr_t)first)[i] = i;
  }
  if (!strcmp(function, "layout_copy")) {
    uint64_t to = *(uint64_t *)parameters[1];
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)first, bytes_of(to));
  }
  return 0;
}
typedef struct { unsigned grid[3], block[3], shared; void *stream; void *attributes; unsigned count; } configuration;
int cuLaunchKernelEx(const configuration *launch, void *function, void **parameters, void **extra) {
  unsigned *attribute = launch->attributes;
  /* The number of the cluster's attribute, and its extents behind the padding. */
  return launch->count == 1 && attribute[0] == 4 && attribute[2] == launch->grid[0] && attribute[3] == 1 ? 0 : 1;
}
int cuEventCreate(void **event, unsigned flags) { *event = (void *)1; return 0; }
int cuEventRecord(void *event, void *stream) { return 0; }
int cuEventSynchronize(void *event) { return 0; }
int cuEventElapsedTime(float *milliseconds, void *start, void *end) { *milliseconds = 20.0f; return 0; }
int cuEventDestroy_v2(void *event) { return 0; }
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address, const uint64_t *dims, const uint64_t *strides,
                           const uint32_t *box, const uint32_t *steps, int interleave, int swizzle, int promotion, int fill) {
  memset(map, 0, 128);
  return 0;
}
int cuGetErrorName(int code, const char **name) {
  *name = code == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS" : code == 218 ? "CUDA_ERROR_INVALID_PTX" : "CUDA_ERROR_UNKNOWN";
  return 0;
}
