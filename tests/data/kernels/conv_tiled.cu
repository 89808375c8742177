// A convolution of 5 x 5: threads of the halo load, those inside compute.
#include <cuda_runtime.h>

#define MASK_WIDTH 5
#define O_TILE 12
#define W_TILE (O_TILE + MASK_WIDTH - 1)

__constant__ float mask[MASK_WIDTH * MASK_WIDTH];

__global__ void convolution(const float *image, float *result, int height, int width) {
  __shared__ float ds[W_TILE][W_TILE];
  int tx = threadIdx.x;
  int ty = threadIdx.y;
  int row_o = blockIdx.y * O_TILE + ty;
  int col_o = blockIdx.x * O_TILE + tx;
  int row_i = row_o - MASK_WIDTH / 2;
  int col_i = col_o - MASK_WIDTH / 2;
  if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width) {
    ds[ty][tx] = image[row_i * width + col_i];
  } else {
    ds[ty][tx] = 0.0f;
  }
  __syncthreads();
  float value = 0.0f;
  if (ty < O_TILE && tx < O_TILE) {
    for (int i = 0; i < MASK_WIDTH; i++) {
      for (int j = 0; j < MASK_WIDTH; j++) {
        value += mask[i * MASK_WIDTH + j] * ds[i + ty][j + tx];
      }
    }
    if (row_o < height && col_o < width) result[row_o * width + col_o] = value;
  }
}

void launch(const float *image, float *result, int height, int width) {
  dim3 block(W_TILE, W_TILE);
  dim3 grid((width + O_TILE - 1) / O_TILE, (height + O_TILE - 1) / O_TILE);
  convolution<<<grid, block>>>(image, result, height, width);
}
