//! Kernels that are named with their arguments are instances, however they are launched.

use cute_analysis::Options;

use super::instances;
use crate::support::analysed;

/// The values of `tile` in a kernel of one template parameter, of which `uses` are made.
fn tiles(uses: &str) -> Vec<String> {
    let text = format!(
        "using namespace cute;
template <class T> __global__ void kernel(T* p) {{ auto tile = make_layout(Shape<_7, Int<sizeof(T)>>{{}}); }}
{uses}"
    );
    let mut tiles = instances(&analysed(&text, &Options::default()), "tile");
    tiles.sort();
    tiles
}

const FLOAT: [&str; 1] = ["(_7,_4):(_1,_7)"];
const OPEN: [&str; 1] = ["(_7,sizeof(T)):(_1,_7)"];

#[test]
fn a_kernel_is_an_instance_however_it_is_launched() {
    for launch in [
        "cudaLaunchKernelEx(&config, kernel<float>, p);",
        "auto k = kernel<float>; cudaLaunchKernelEx(&config, k, p);",
        "auto k = &kernel<float>; k<<<1, 2>>>(p);",
        "auto* k = &kernel<float>; (*k)<<<1, 2>>>(p);",
        "cudaLaunchKernel((void*)kernel<float>, 1, 2, args, 0, stream);",
        "void const* k = reinterpret_cast<void const*>(&kernel<float>); cudaLaunchKernelExC(&config, k, args);",
        "cutlass::ClusterLauncher::launch(params, (void*)kernel<float>, args);",
        "cudaFuncSetAttribute(kernel<float>, attribute, 3);",
        "cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, kernel<float>, 128, 0);",
        "std::function<void(float*)> k = kernel<float>;",
        "void (*table[])(float*) = {kernel<float>};",
    ] {
        let uses = format!("void host(float* p) {{ {launch} }}");
        assert_eq!(tiles(&uses), FLOAT, "{launch}");
    }
}

#[test]
fn what_is_named_and_launched_is_one_instance() {
    let uses = "template <class T> void host(T* p) {
  cudaFuncSetAttribute(kernel<T>, attribute, 3);
  kernel<T><<<1, 2>>>(p);
}
void start(float* p, half_t* q) { host(p); host(q); }";
    assert_eq!(tiles(uses), ["(_7,_2):(_1,_7)", "(_7,_4):(_1,_7)"]);
}

#[test]
fn a_method_names_instances_as_it_launches_them() {
    let with = |body: &str| {
        tiles(&format!(
            "template <class T> struct Launcher {{ static void run(T* p) {{ {body} }} }};
void start(float* p) {{ Launcher<float>::run(p); }}"
        ))
    };
    let launched = with("kernel<T><<<1, 2>>>(p);");
    assert!(launched.contains(&FLOAT[0].to_owned()), "{launched:?}");
    for body in [
        "auto k = kernel<T>; cudaLaunchKernelEx(&config, k, p);",
        "cudaFuncSetAttribute(kernel<T>, attribute, 3);",
    ] {
        assert_eq!(with(body), launched, "{body}");
    }
}

#[test]
fn what_is_not_evaluated_or_not_chosen_names_no_instance() {
    for uses in [
        "using K = decltype(&kernel<float>);",
        "void host() { using K = decltype(&kernel<float>); }",
        "template <bool F> void host() {
  if constexpr (F) { cudaFuncSetAttribute(kernel<float>, a, 3); }
}
void start() { host<false>(); }",
        "template <class T> void never() { cudaFuncSetAttribute(kernel<T>, a, 3); }",
    ] {
        assert_eq!(tiles(uses), OPEN, "{uses}");
    }
}

#[test]
fn a_name_that_several_templates_or_a_specialisation_answer_to_is_no_instance() {
    for other in [
        "template <class T> __global__ void kernel(T* p, int n) {}",
        "template <> __global__ void kernel<float>(float* p) {}",
    ] {
        let uses = format!("{other}\nvoid host() {{ cudaFuncSetAttribute(kernel<float>, a, 3); }}");
        assert_eq!(tiles(&uses), OPEN, "{other}");
    }
}

#[test]
fn a_class_whose_kernel_a_function_of_cutlass_is_has_an_instance() {
    let with = |body: &str| {
        let text = format!(
            "using namespace cute;
template <int N> struct Kernel {{
  struct Params {{}};
  CUTLASS_DEVICE void operator()(Params const& params, char* memory) {{ auto tile = make_layout(Shape<_7, Int<N>>{{}}); }}
}};
template <bool F> void host(void* p) {{ {body} }}
void start() {{ host<false>(nullptr); }}"
        );
        instances(&analysed(&text, &Options::default()), "tile")
    };
    for launch in [
        "cutlass::device_kernel<Kernel<8>><<<1, 2>>>(p);",
        "void const* kernel = (void const*) cutlass::device_kernel<Kernel<8>>; cutlass::ClusterLauncher::launch(params, kernel, args);",
        "cudaFuncSetAttribute(cutlass::device_kernel<Kernel<8>>, attribute, 3);",
        "using K = Kernel<8>; cutlass::kernel_launch<K>(1, 2, 10, stream, p, true);",
    ] {
        assert_eq!(with(launch), ["(_7,_8):(_1,_7)"], "{launch}");
    }
    for none in [
        "using K = decltype(&cutlass::device_kernel<Kernel<8>>);",
        "if constexpr (F) { cutlass::kernel_launch<Kernel<8>>(1, 2, 10, stream, p, true); }",
        "std::conditional_t<F, Kernel<8>, Kernel<9>>* k;",
    ] {
        assert_eq!(with(none), ["(_7,N):(_1,_7)"], "{none}");
    }
}
