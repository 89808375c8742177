#include "../forward_launch.h"

template <>
void run_forward<cutlass::half_t, 64>(ForwardParams& params, cudaStream_t stream) {
  run_forward_hdim64<cutlass::half_t>(params, stream);
}
