// Kernels whose shared memory, registers and residency nvcc judges: see `cargo xtask bounds`.

#include <cute/tensor.hpp>

using namespace cute;

__global__ void nothing(float* out) { out[threadIdx.x] = 0.f; }

__global__ void one_array(float* out) {
  __shared__ float tile[32][33];
  tile[threadIdx.x / 32][threadIdx.x % 32] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[threadIdx.x % 32][threadIdx.x / 32];
}

__global__ void three_arrays(double* out) {
  __shared__ char bytes[3];
  __shared__ double wide[5];
  __shared__ short narrow[7];
  bytes[threadIdx.x % 3] = 1;
  wide[threadIdx.x % 5] = out[threadIdx.x];
  narrow[threadIdx.x % 7] = 2;
  __syncthreads();
  out[threadIdx.x] = wide[(threadIdx.x + 1) % 5] + bytes[threadIdx.x % 2] + narrow[threadIdx.x % 6];
}

struct Mixed {
  char flag;
  alignas(128) float rows[16];
  short tail;
};

__global__ void a_struct(float* out) {
  __shared__ Mixed mixed;
  mixed.rows[threadIdx.x % 16] = out[threadIdx.x];
  mixed.flag = 1;
  mixed.tail = 2;
  __syncthreads();
  out[threadIdx.x] = mixed.rows[(threadIdx.x + 1) % 16] + mixed.flag + mixed.tail;
}

union Either {
  float wide[64];
  half_t narrow[200];
};

__global__ void a_union(float* out) {
  __shared__ Either either;
  either.wide[threadIdx.x % 64] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = either.wide[(threadIdx.x + 1) % 64];
}

template <int Rows, class T>
__global__ void of_a_template(T* out) {
  __shared__ T tile[Rows * 8];
  tile[threadIdx.x % (Rows * 8)] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile[(threadIdx.x + 1) % (Rows * 8)];
}

__global__ void of_a_layout(half_t* out) {
  auto layout = tile_to_shape(composition(Swizzle<3, 3, 3>{}, Layout<Shape<_8, _64>, Stride<_64, _1>>{}), Shape<_64, _64, _2>{});
  __shared__ half_t memory[cosize_v<decltype(layout)>];
  Tensor tile = make_tensor(make_smem_ptr(memory), layout);
  tile(threadIdx.x % 64, threadIdx.x / 64, 0) = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile(threadIdx.x / 64, threadIdx.x % 64, 0);
}

template <class T, class Layout>
struct Storage {
  alignas(128) ArrayEngine<T, cosize_v<Layout>> A;
  alignas(16) uint64_t barrier;
};

__global__ void dynamic_storage(float* out) {
  extern __shared__ char memory[];
  using Stored = Storage<float, Layout<Shape<_64, _32>, Stride<Int<33>, _1>>>;
  auto& storage = *reinterpret_cast<Stored*>(memory);
  Tensor tile = make_tensor(make_smem_ptr(storage.A.begin()), Layout<Shape<_64, _32>, Stride<Int<33>, _1>>{});
  tile(threadIdx.x % 64, threadIdx.x / 64) = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = tile(threadIdx.x / 32, threadIdx.x % 32);
}

__global__ void static_and_dynamic(float* out) {
  extern __shared__ float more[];
  __shared__ float sums[32];
  more[threadIdx.x] = out[threadIdx.x];
  sums[threadIdx.x % 32] = out[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = more[(threadIdx.x + 1) % 256] + sums[(threadIdx.x + 1) % 32];
}

__global__ void __launch_bounds__(1024) of_many_threads(float* out) {
  Tensor kept = make_tensor<float>(Shape<_32>{});
  for (int i = 0; i < size(kept); ++i) {
    kept(i) = out[threadIdx.x + i * 1024];
  }
  for (int i = 0; i < size(kept); ++i) {
    out[threadIdx.x + i * 1024] = kept(i) * kept((i + 1) % 32);
  }
}

__global__ void __launch_bounds__(256, 4) of_four_blocks(float* out) {
  Tensor kept = make_tensor<float>(Shape<_8, _8>{});
  for (int i = 0; i < size(kept); ++i) {
    kept(i) = out[threadIdx.x + i * 256];
  }
  for (int i = 0; i < size(kept); ++i) {
    out[threadIdx.x + i * 256] = kept(i) * kept((i + 1) % 64);
  }
}

__global__ void __launch_bounds__(128, 8) of_eight_blocks(half_t* out) {
  Tensor kept = make_tensor<half_t>(Shape<_8, _8>{});
  clear(kept);
  for (int i = 0; i < size(kept); ++i) {
    kept(i) = out[threadIdx.x + i * 128];
  }
  for (int i = 0; i < size(kept); ++i) {
    out[threadIdx.x + i * 128] = kept(i) * kept((i + 1) % 64);
  }
}

__global__ void two_fragments_at_once(float* out) {
  Tensor a = make_tensor<float>(Shape<_64>{});
  Tensor b = make_tensor<float>(Shape<_64>{});
  for (int i = 0; i < 64; ++i) {
    a(i) = out[i];
    b(i) = out[i + 64];
  }
  for (int i = 0; i < 64; ++i) {
    out[threadIdx.x + i * 64] = a(i) * b(63 - i);
  }
}

__global__ void fragments_in_turn(float* out) {
  {
    Tensor a = make_tensor<float>(Shape<_96>{});
    for (int i = 0; i < 96; ++i) { a(i) = out[i]; }
    for (int i = 0; i < 96; ++i) { out[threadIdx.x + i * 64] = a(95 - i); }
  }
  {
    Tensor b = make_tensor<float>(Shape<_96>{});
    for (int i = 0; i < 96; ++i) { b(i) = out[i + 1]; }
    for (int i = 0; i < 96; ++i) { out[threadIdx.x + i * 64] += b(95 - i); }
  }
}

// A fragment that is never kept: each of its elements is used where it is made.
__global__ void a_fragment_in_passing(float* out) {
  Tensor a = make_tensor<float>(Shape<_128>{});
  for (int i = 0; i < 128; ++i) {
    a(i) = i * 2.f;
    out[threadIdx.x + i * 64] = a(i);
  }
}

__global__ void products_of_a_tensor_core(half_t const* A, half_t const* B, float* C) {
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _2>>{}, Tile<_32, _32, _16>{});
  __shared__ half_t sa[64 * 32];
  __shared__ half_t sb[64 * 32];
  Tensor sA = make_tensor(make_smem_ptr(sa), Layout<Shape<_64, _32>, Stride<_32, _1>>{});
  Tensor sB = make_tensor(make_smem_ptr(sb), Layout<Shape<_64, _32>, Stride<_32, _1>>{});
  for (int i = threadIdx.x; i < 64 * 32; i += 128) {
    sa[i] = A[i];
    sb[i] = B[i];
  }
  __syncthreads();
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_64, _64>, Stride<_64, _1>>{});
  Tensor tCgC = thr.partition_C(gC);
  Tensor tCrA = thr.partition_fragment_A(sA);
  Tensor tCrB = thr.partition_fragment_B(sB);
  Tensor tCrC = thr.make_fragment_C(tCgC);
  clear(tCrC);
  copy(thr.partition_A(sA), tCrA);
  copy(thr.partition_B(sB), tCrB);
  gemm(mma, tCrA, tCrB, tCrC);
  copy(tCrC, tCgC);
}

__global__ void __launch_bounds__(64) large_accumulators(half_t const* A, float* C) {
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _1>>{}, Tile<_32, _16, _16>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor gA = make_tensor(make_gmem_ptr(A), Layout<Shape<_64, _16>, Stride<_16, _1>>{});
  Tensor gB = make_tensor(make_gmem_ptr(A), Layout<Shape<_128, _16>, Stride<_16, _1>>{});
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_64, _128>, Stride<_128, _1>>{});
  Tensor tCrA = thr.partition_fragment_A(gA);
  Tensor tCrB = thr.partition_fragment_B(gB);
  Tensor tCrC = partition_fragment_C(mma, Shape<_64, _128>{});
  clear(tCrC);
  for (int k = 0; k < 8; ++k) {
    copy(thr.partition_A(gA), tCrA);
    copy(thr.partition_B(gB), tCrB);
    gemm(mma, tCrA, tCrB, tCrC);
  }
  copy(tCrC, thr.partition_C(gC));
}

__global__ void __launch_bounds__(64) too_large_accumulators(half_t const* A, float* C) {
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2, _1>>{}, Tile<_32, _16, _16>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor gA = make_tensor(make_gmem_ptr(A), Layout<Shape<_128, _16>, Stride<_16, _1>>{});
  Tensor gB = make_tensor(make_gmem_ptr(A), Layout<Shape<_256, _16>, Stride<_16, _1>>{});
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_128, _256>, Stride<_256, _1>>{});
  Tensor tCrA = thr.partition_fragment_A(gA);
  Tensor tCrB = thr.partition_fragment_B(gB);
  Tensor tCrC = partition_fragment_C(mma, Shape<_128, _256>{});
  clear(tCrC);
  for (int k = 0; k < 8; ++k) {
    copy(thr.partition_A(gA), tCrA);
    copy(thr.partition_B(gB), tCrB);
    gemm(mma, tCrA, tCrB, tCrC);
  }
  copy(tCrC, thr.partition_C(gC));
}

// The bounds leave 32 registers for 64 accumulators that a loop carries.
__global__ void __launch_bounds__(1024, 2) bounds_that_spill(half_t const* A, float* C) {
  TiledMMA mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_32, _1>>{}, Tile<_512, _16, _16>{});
  ThrMMA thr = mma.get_slice(threadIdx.x);
  Tensor gA = make_tensor(make_gmem_ptr(A), Layout<Shape<_512, _16>, Stride<_16, _1>>{});
  Tensor gB = make_tensor(make_gmem_ptr(A), Layout<Shape<_128, _16>, Stride<_16, _1>>{});
  Tensor gC = make_tensor(make_gmem_ptr(C), Layout<Shape<_512, _128>, Stride<_128, _1>>{});
  Tensor tCrA = thr.partition_fragment_A(gA);
  Tensor tCrB = thr.partition_fragment_B(gB);
  Tensor tCrC = partition_fragment_C(mma, Shape<_512, _128>{});
  clear(tCrC);
  for (int k = 0; k < 8; ++k) {
    copy(thr.partition_A(gA), tCrA);
    copy(thr.partition_B(gB), tCrB);
    gemm(mma, tCrA, tCrB, tCrC);
  }
  copy(tCrC, thr.partition_C(gC));
}

int main() {
  float* floats = nullptr;
  double* doubles = nullptr;
  half_t* halves = nullptr;
  using Stored = Storage<float, Layout<Shape<_64, _32>, Stride<Int<33>, _1>>>;
  nothing<<<1, 128>>>(floats);
  one_array<<<1, 1024>>>(floats);
  three_arrays<<<1, 96>>>(doubles);
  a_struct<<<1, 64>>>(floats);
  a_union<<<1, 64>>>(floats);
  of_a_template<32><<<1, 256>>>(floats);
  of_a_template<48><<<1, 256>>>(doubles);
  of_a_layout<<<1, 256>>>(halves);
  dynamic_storage<<<1, 512, sizeof(Stored)>>>(floats);
  static_and_dynamic<<<1, 256, 256 * sizeof(float)>>>(floats);
  of_many_threads<<<1, 1024>>>(floats);
  of_four_blocks<<<1, 256>>>(floats);
  of_eight_blocks<<<1, 128>>>(halves);
  two_fragments_at_once<<<1, 64>>>(floats);
  fragments_in_turn<<<1, 64>>>(floats);
  a_fragment_in_passing<<<1, 64>>>(floats);
  products_of_a_tensor_core<<<1, 128>>>(halves, halves, floats);
  large_accumulators<<<1, 64>>>(halves, floats);
  too_large_accumulators<<<1, 64>>>(halves, floats);
  bounds_that_spill<<<1, 1024>>>(halves, floats);
}
