// Tells the layouts that types have, once for each instance that the compiler makes. Nothing of the program runs: what
// tells is the initialiser of a variable that each probe makes.
#pragma once
#include <cstdint>
#include <cstdio>
#include <set>
#include <string>
#include <type_traits>

#include <cuda_runtime.h>
#include <device_launch_parameters.h>

// What only the compiler of the device knows.
#undef __launch_bounds__
#define __launch_bounds__(...)
#undef __cluster_dims__
#define __cluster_dims__(...)
#undef __grid_constant__
#define __grid_constant__
#undef __shared__
#define __shared__
inline void __syncthreads() {}
inline void __syncwarp(unsigned = ~0u) {}
inline void __threadfence() {}
template <class T> T __shfl_sync(unsigned, T value, int, int = 32) { return value; }
template <class T> T __shfl_xor_sync(unsigned, T value, int, int = 32) { return value; }
template <class T> T __shfl_down_sync(unsigned, T value, int, int = 32) { return value; }
template <class T> T __shfl_up_sync(unsigned, T value, int, int = 32) { return value; }

#include <cute/tensor.hpp>
#include <cute/atom/copy_atom.hpp>
#include <cute/atom/mma_atom.hpp>

namespace cute_probe {

template <class T> std::string text();

template <class T> struct Of {
  static std::string text() { return "?"; }
};
template <auto v> struct Of<cute::C<v>> {
  static std::string text() { return "_" + std::to_string(v); }
};
template <class T, T v> struct Of<std::integral_constant<T, v>> {
  static std::string text() { return "_" + std::to_string(v); }
};
template <class T, int... N> struct Of<cute::ScaledBasis<T, N...>> {
  static std::string text() {
    std::string said = cute_probe::text<T>();
    // CuTe prints the innermost mode first.
    std::string modes;
    ((modes = "@" + std::to_string(N) + modes), ...);
    said += modes;
    return said;
  }
};
template <class... T> struct Of<cute::tuple<T...>> {
  static std::string text() {
    std::string said;
    ((said += (said.empty() ? "" : ",") + cute_probe::text<T>()), ...);
    return "(" + said + ")";
  }
};
template <class S, class D> struct Of<cute::Layout<S, D>> {
  static std::string text() { return cute_probe::text<S>() + ":" + cute_probe::text<D>(); }
};
template <int B, int M, int S> struct Of<cute::Swizzle<B, M, S>> {
  static std::string text() {
    return "Sw<" + std::to_string(B) + "," + std::to_string(M) + "," + std::to_string(S) + ">";
  }
};
template <class A, class O, class B> struct Of<cute::ComposedLayout<A, O, B>> {
  static std::string text() {
    return cute_probe::text<A>() + " o " + cute_probe::text<O>() + " o " + cute_probe::text<B>();
  }
};
template <class E, class L> struct Of<cute::Tensor<E, L>> {
  static std::string text() { return cute_probe::text<L>(); }
};
template <class A, class L, class P> struct Of<cute::TiledMMA<A, L, P>> {
  static std::string text() { return cute_probe::text<typename cute::TiledMMA<A, L, P>::ThrLayoutVMNK>(); }
};

template <class T> std::string text() { return Of<std::remove_cv_t<std::remove_reference_t<T>>>::text(); }

inline bool tell(int file, int line, int column, std::string const& said) {
  static std::set<std::string> told;
  std::string const row = std::to_string(file) + " " + std::to_string(line) + " " + std::to_string(column) + " " + said;
  if (told.insert(row).second) std::printf("%s\n", row.c_str());
  return true;
}

template <bool const& told> struct Used {
  static constexpr int value = 0;
};

template <class T, int file, int line, int column> struct Seen {
  static inline bool const told = tell(file, line, column, text<T>());
  static constexpr int value = Used<told>::value;
};

}  // namespace cute_probe
