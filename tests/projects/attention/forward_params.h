#pragma once

struct ForwardParams {
  void* q;
  int q_row_stride;
  int seqlen;
};

template <typename T, int HeadDim>
void run_forward(ForwardParams& params, cudaStream_t stream);
