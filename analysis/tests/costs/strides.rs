//! Strides of matrices that are written: rows must not overlap.

use super::costs_of;

/// The conditions on the stride of a matrix that a kernel writes.
fn overlaps(strides: &str, copies: &str) -> Vec<String> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void store(float* q, int m, int n, int ld) {{
  Tensor mC = make_tensor(make_gmem_ptr(q), make_shape(m, n), make_stride({strides}));
  Tensor gC = local_tile(mC, Shape<_128, _128>{{}}, make_coord(blockIdx.x, blockIdx.y));
  Tensor part = local_partition(gC, Layout<Shape<_16, _16>>{{}}, threadIdx.x);
  Tensor registers = make_tensor_like(part);
  clear(registers);
  {copies}
}}
void launch(float* q, int m, int n, int ld) {{
  store<<<dim3(ceil_div(m, 128), ceil_div(n, 128)), 256>>>(q, m, n, ld);
}}
"
    );
    let needed = costs_of(&text).preconditions.into_iter();
    needed
        .map(|need| need.message)
        .filter(|message| message.contains(">="))
        .collect()
}

#[test]
fn a_matrix_that_is_written_has_rows_that_do_not_overlap() {
    const STORES: &str = "copy(registers, part);";
    assert_eq!(
        overlaps("ld, Int<1>{}", STORES),
        ["ld >= n (elements of mC would overlap)"]
    );
    assert_eq!(
        overlaps("Int<1>{}, ld", STORES),
        ["ld >= m (elements of mC would overlap)"]
    );
    assert_eq!(
        overlaps("n, Int<1>{}", "copy(registers, part);"),
        Vec::<String>::new()
    );
    assert_eq!(
        overlaps("ld, Int<1>{}", "copy(part, registers);"),
        Vec::<String>::new()
    );
    assert_eq!(overlaps("ld, ld", STORES), Vec::<String>::new());
}

/// The warnings about a tensor with this shape and stride.
fn meetings(shape: &str, strides: &str, host: &str) -> Vec<String> {
    let text = format!(
        "#include <cute/tensor.hpp>
using namespace cute;
__global__ void zero(float* q, int b, int m, int n) {{
  Tensor all = make_tensor(make_gmem_ptr(q), make_shape({shape}), make_stride({strides}));
  all(blockIdx.y, blockIdx.x, threadIdx.x) = 0.0f;
}}
void launch(float* q, int b, int m, int n) {{
  {host}
  zero<<<dim3(m, b), 128>>>(q, b, m, n);
}}
"
    );
    let found = costs_of(&text).findings.into_iter();
    found
        .filter(|finding| finding.rule == "overlapping-modes")
        .map(|finding| finding.message)
        .collect()
}

#[test]
fn strides_are_products_of_the_right_extents() {
    assert_eq!(
        meetings("b, m, n", "n * n, n, Int<1>{}", ""),
        ["b = 64, m = 256, n = 128: elements (1,0,0) and (0,128,0) share an address"]
    );
    assert_eq!(meetings("b, m, n", "m, b * m, Int<1>{}", "").len(), 1);
    for (shape, strides, host) in [
        ("b, m, n", "m * n, n, Int<1>{}", ""),
        ("b, m, n", "m * n, Int<1>{}, m", ""),
        ("b, m, n", "n, b * n, Int<1>{}", ""),
        // Padded, broadcast, windows.
        ("b, m, n", "m * n + 8, n, Int<1>{}", ""),
        ("b, m, n", "Int<0>{}, n, Int<1>{}", ""),
        ("b, m, n", "n, n, Int<1>{}", ""),
        ("Int<8>{}, m, n", "Int<1>{}, n, Int<1>{}", ""),
        // Square ones.
        ("b, n, n", "n * n, n, Int<1>{}", ""),
        ("b, m, n", "n * n, n, Int<1>{}", "if (m != n) return;"),
    ] {
        let found = meetings(shape, strides, host);
        assert_eq!(found, Vec::<String>::new(), "({shape}):({strides}) {host}");
    }
}
