#include "../forward_launch.h"

template void run_forward_hdim96<cutlass::bfloat16_t>(ForwardParams&, cudaStream_t);
