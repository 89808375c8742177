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
