//! Tensors with run-time strides: accessors of `PyTorch`, `mdspan`; and divisions by prepared numbers.

use super::{analysed, expression, layout_in};

/// A file with one kernel, launched with this block.
fn kernel(head: &str, params: &str, body: &str, block: &str) -> String {
    // The names are before the commas outside of `<..>`, and the last one at the end.
    let mut depth = 0;
    let ends = params.char_indices().filter_map(|(at, letter)| {
        match letter {
            '<' => depth += 1,
            '>' => depth -= 1,
            _ => {}
        }
        (letter == ',' && depth == 0).then_some(at)
    });
    let ends: Vec<usize> = ends.chain([params.len()]).collect();
    let names = ends
        .iter()
        .filter_map(|end| params[..*end].rsplit(' ').next());
    let names: Vec<&str> = names.collect();
    format!(
        "{head}\n__global__ void kernel({params}, float* out) {{\n{body}\n}}\n\
         void launch({params}, float* o) {{ kernel<<<dim3(4, 4), {block}>>>({}, o); }}\n",
        names.join(", ")
    )
}

fn reasons(text: &str) -> Vec<String> {
    let accesses = analysed(text, false).accesses.into_iter();
    accesses.filter_map(|access| access.map.err()).collect()
}

#[test]
fn accessors_of_pytorch_have_strides_by_mode() {
    for class in [
        "torch::PackedTensorAccessor32<float, 2, torch::RestrictPtrTraits>",
        "at::PackedTensorAccessor64<float, 2>",
        "at::GenericPackedTensorAccessor<float, 2, at::DefaultPtrTraits, int>",
        "const torch::TensorAccessor<float, 2>",
    ] {
        let body = "if (threadIdx.x < a.size(1)) a[blockIdx.x][threadIdx.x] = 1;\n\
             auto row = a[threadIdx.x];\nrow[2] = 1;\n*(a[1].data() + threadIdx.x) = 1;\n\
             for (int i = 0; i < 4; i++) row[i + 4] = 1;";
        let text = kernel("", &format!("{class} a"), body, "32");
        assert_eq!(
            layout_in(&text, "a[blockIdx.x][threadIdx.x]"),
            "32:a.stride(1) + a.stride(0)*blockIdx.x",
            "{class}"
        );
        assert_eq!(layout_in(&text, "row[2]"), "32:a.stride(0) + 2*a.stride(1)");
        assert_eq!(
            layout_in(&text, "*(a[1].data() + threadIdx.x)"),
            "32:1 + a.stride(0)"
        );
        assert_eq!(
            layout_in(&text, "row[i + 4]"),
            "(32,4):(a.stride(0),a.stride(1)) + 4*a.stride(1)"
        );
        assert_eq!(reasons(&text), Vec::<String>::new());
    }
    // A function gets a part, a class has one, another name is an alias.
    let head = "template <class T> using Two = torch::PackedTensorAccessor32<T, 2>;\n\
        struct Args { Two<float> a; int n; };\n\
        template <class A> __device__ void set(A part, int i) { part[i] = 1; }";
    let body = "set(args.a[blockIdx.x], threadIdx.x * 2);\nargs.a[3][threadIdx.x] = 2;";
    let text = kernel(head, "Args args", body, "32");
    assert_eq!(
        layout_in(&text, "part[i]"),
        "32:2*args.a.stride(1) + args.a.stride(0)*blockIdx.x"
    );
    assert_eq!(
        layout_in(&text, "args.a[3][threadIdx.x]"),
        "32:args.a.stride(1) + 3*args.a.stride(0)"
    );
    // Its header is read, too.
    let head = "namespace at { template <class T, int N> class PackedTensorAccessor32 { T* data; public: int size(int) const; }; }";
    let body = "a[blockIdx.x][threadIdx.x] = 1;";
    let text = kernel(head, "at::PackedTensorAccessor32<float, 2> a", body, "32");
    assert_eq!(
        layout_in(&text, "a[blockIdx.x][threadIdx.x]"),
        "32:a.stride(1) + a.stride(0)*blockIdx.x"
    );
    // More indices or modes than there may be are none.
    let text = kernel(
        "",
        "at::PackedTensorAccessor32<float, 1000000000> a",
        "a[0] = 1;",
        "32",
    );
    assert_eq!(reasons(&text).len(), 1);
    // More indices than modes are none.
    let text = kernel(
        "",
        "at::PackedTensorAccessor32<float, 1> a",
        "a[0][threadIdx.x] = 1;",
        "32",
    );
    assert_eq!(reasons(&text).len(), 1);
}

#[test]
fn an_mdspan_has_the_strides_of_its_layout() {
    let two = "cuda::std::dextents<int, 2>";
    for (class, index, expected) in [
        (
            format!("cuda::std::mdspan<float, {two}>"),
            "m(blockIdx.x, threadIdx.x)",
            "32:1 + blockIdx.x*m.extent(1)",
        ),
        (
            format!("std::mdspan<float, {two}, cuda::std::layout_left>"),
            "m[threadIdx.x, blockIdx.x]",
            "32:1 + blockIdx.x*m.extent(0)",
        ),
        (
            format!("cuda::std::mdspan<float, {two}, cuda::std::layout_stride>"),
            "m(blockIdx.x, threadIdx.x)",
            "32:m.stride(1) + blockIdx.x*m.stride(0)",
        ),
        (
            "cuda::std::mdspan<float, cuda::std::extents<int, 8, 64, 4>>".to_owned(),
            "m(blockIdx.x, threadIdx.x, 3)",
            "32:4 + 256*blockIdx.x+3",
        ),
        (
            "cuda::std::mdspan<float, cuda::std::dims<3>>".to_owned(),
            "m(1, threadIdx.x, 2)",
            "32:m.extent(2) + m.extent(1)*m.extent(2)+2",
        ),
    ] {
        let text = kernel("", &format!("{class} m"), &format!("{index} = 1;"), "32");
        assert_eq!(layout_in(&text, index), expected, "{class}");
    }
    let body = "__shared__ float buffer[32 * 33];\n\
        cuda::std::mdspan<float, cuda::std::extents<int, 32, 33>> tile(buffer);\n\
        tile(threadIdx.x, threadIdx.y) = 1;\n\
        auto rows = cuda::std::mdspan(out, n, 64);\n\
        if (threadIdx.x < rows.extent(0)) rows(threadIdx.x, threadIdx.y) = 1;";
    let text = kernel("", "int n", body, "dim3(32, 32)");
    assert_eq!(
        layout_in(&text, "tile(threadIdx.x, threadIdx.y)"),
        "(32,32):(33,1) + 0"
    );
    assert_eq!(
        layout_in(&text, "rows(threadIdx.x, threadIdx.y)"),
        "(32,32):(64,1) + 0"
    );
    assert_eq!(reasons(&text), Vec::<String>::new());
}

/// A class that divides by what it was made for, and one that does something else with the same numbers.
const DIVIDERS: &str = "
struct Divider {
  unsigned divisor, multiplier, shift, add;
  __device__ unsigned over(unsigned n) const { return (__umulhi(n, multiplier) + n) >> shift; }
  __device__ unsigned chosen(unsigned n) const {
    unsigned q;
    if (divisor == 1) { q = n; } else { q = __umulhi(multiplier, n); q += add * n; q >>= shift; }
    return q;
  }
  __device__ void both(int& q, int& r, int n) const {
    q = int((divisor != 1) ? __umulhi(n, multiplier) >> shift : n);
    r = n - q * divisor;
  }
  __device__ unsigned rest(unsigned n) const { return n - over(n) * divisor; }
  __device__ unsigned other(unsigned n) const { return (__umulhi(n, multiplier) + 1) >> shift; }
};
__device__ unsigned operator/(unsigned n, const Divider& by) { return by.over(n); }
__device__ unsigned operator%(unsigned n, const Divider& by) { return n - n / by * by.divisor; }
";

#[test]
fn a_prepared_divisor_is_a_symbol() {
    for (index, expected) in [
        (
            "d.over(threadIdx.x)",
            "threadIdx.x/divisor(d.multiplier, d.shift)",
        ),
        (
            "d.chosen(threadIdx.x) * 2",
            "threadIdx.x/divisor(d.multiplier, d.shift)*2",
        ),
        (
            "d.rest(threadIdx.x)",
            "threadIdx.x%divisor(d.multiplier, d.shift)",
        ),
        (
            "threadIdx.x / d + threadIdx.x % d",
            "threadIdx.x/divisor(d.multiplier, d.shift) + threadIdx.x%divisor(d.multiplier, d.shift)",
        ),
        (
            "d.other(threadIdx.x)",
            "__umulhi(threadIdx.x, d.multiplier) + 1 >> d.shift",
        ),
    ] {
        let text = kernel(DIVIDERS, "Divider d", &format!("out[{index}] = 1;"), "32");
        assert_eq!(expression(&text, &format!("out[{index}]")), expected);
    }
    let body = "int q, r; d.both(q, r, threadIdx.x); out[q * 64 + r] = 1;";
    let text = kernel(DIVIDERS, "Divider d", body, "32");
    assert_eq!(
        expression(&text, "out[q * 64 + r]"),
        "threadIdx.x/divisor(d.multiplier, d.shift)*64 + threadIdx.x%divisor(d.multiplier, d.shift)"
    );
    // The members of a vector.
    let head =
        "__device__ unsigned over(unsigned n, uint3 v) { return (__umulhi(n, v.x) + n) >> v.y; }";
    let text = kernel(head, "uint3 v", "out[over(threadIdx.x, v) * 8] = 1;", "32");
    assert_eq!(
        expression(&text, "out[over(threadIdx.x, v) * 8]"),
        "threadIdx.x/divisor(v.x, v.y)*8"
    );
    // Two numbers of no common object make no divisor.
    let text = kernel(
        "",
        "unsigned m, unsigned s",
        "out[__umulhi(threadIdx.x, m) >> s] = 1;",
        "32",
    );
    assert_eq!(
        expression(&text, "out[__umulhi(threadIdx.x, m) >> s]"),
        "__umulhi(threadIdx.x, m) >> s"
    );
    // Two pairs are two divisors, and a number beside them in a large object is neither.
    let head = "struct Sizes { unsigned m, s, n, t, stride;\n\
        __device__ unsigned one(unsigned i) const { return (__umulhi(i, m) + i) >> s; }\n\
        __device__ unsigned two(unsigned i) const { return (__umulhi(i, n) + i) >> t; }\n\
        __device__ unsigned rest(unsigned i) const { return i - one(i) * stride; } };";
    for (index, expected) in [
        (
            "z.one(threadIdx.x) + z.two(threadIdx.x)",
            "threadIdx.x/divisor(z.m, z.s) + threadIdx.x/divisor(z.n, z.t)",
        ),
        (
            // Not `threadIdx.x % z.stride`: it may be below 0, and begins anew.
            "z.rest(threadIdx.x)",
            "threadIdx.x - threadIdx.x/divisor(z.m, z.s)*z.stride",
        ),
    ] {
        let text = kernel(head, "Sizes z", &format!("out[{index}] = 1;"), "32");
        assert_eq!(expression(&text, &format!("out[{index}]")), expected);
    }
    // Numbers are computed.
    let body = "out[__umulhi(threadIdx.x << 4, 1u << 30)] = 1;";
    let text = kernel("", "int n", body, "32");
    assert_eq!(
        layout_in(&text, "out[__umulhi(threadIdx.x << 4, 1u << 30)]"),
        "32:4 + 0"
    );
}

#[test]
fn a_lambda_may_give_a_place() {
    let body = "auto at = [&](int r, int c) -> float& { return out[r * n + c]; };\n\
        at(threadIdx.y, threadIdx.x) = 1;\nout[at(1, 2)] += at(3, threadIdx.x);";
    let text = kernel("", "int n", body, "dim3(32, 8)");
    assert_eq!(
        layout_in(&text, "at(threadIdx.y, threadIdx.x)"),
        "(32,8):(1,n) + 0"
    );
}
