// How the kernel is launched for each size of a head.
#pragma once

#include "forward_kernel.h"
#include "static_switch.h"

template <typename Traits>
void launch(ForwardParams& params, bool causal, cudaStream_t stream) {
  dim3 grid(ceil_div(params.seqlen, Traits::kBlockM), 1, 1);
  BOOL_SWITCH(causal, Is_causal, [&] {
    auto kernel = &forward_kernel<Traits, Is_causal>;
    kernel<<<grid, 128, 49152, stream>>>(params);
  });
}

template <typename T>
void run_forward_hdim64(ForwardParams& params, cudaStream_t stream) {
  launch<TileTraits<128, 128, 64, T>>(params, true, stream);
}

template <typename T>
void run_forward_hdim96(ForwardParams& params, cudaStream_t stream) {
  launch<TileTraits<64, 64, 96, T>>(params, true, stream);
}
