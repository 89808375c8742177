// One block of the forward pass.
#pragma once

#include "forward_params.h"
#include "tile_traits.h"

template <typename Traits, bool Is_causal>
__device__ void forward_block(const ForwardParams& params, int block) {
  using Element = typename Traits::Element;
  extern __shared__ char memory[];
  Tensor mQ = make_tensor(make_gmem_ptr(reinterpret_cast<Element*>(params.q)),
                          make_shape(params.seqlen, Int<Traits::kHeadDim>{}),
                          make_stride(params.q_row_stride, _1{}));
  Tensor gQ = local_tile(mQ, Shape<Int<Traits::kBlockM>, Int<Traits::kHeadDim>>{},
                         make_coord(block, 0));
  Tensor sQ = make_tensor(make_smem_ptr(reinterpret_cast<Element*>(memory)),
                          typename Traits::SmemLayoutQ{});
  auto tiles = size<0>(sQ) / Int<16>{};
}

template <typename Traits, bool Is_causal>
__global__ void forward_kernel(const ForwardParams params) {
  forward_block<Traits, Is_causal>(params, blockIdx.x);
}
