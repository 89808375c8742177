//! Offsets that do not fit into 32 bits.

use super::protocol::{found, silent};

const OFFSETS: &str = include_str!("offsets.cu");

#[test]
fn a_product_of_two_ints_is_no_index_beyond_two_gigabytes() {
    let narrow = ("  int64_t wide = 65536;\n", "  int wide = 65536;\n");
    assert_eq!(
        found(OFFSETS, &[narrow]),
        [
            "offset-overflow: the index reaches 4294901760, but an int holds 2147483647 at most: it wraps around\nCTA (65535,0,0), thread (127,0,0)"
        ]
    );
    silent(
        OFFSETS,
        &[
            // It fits.
            &[narrow, ("<<<65536, 128>>>(p", "<<<32768, 128>>>(p")],
            &[narrow, ("p[row * wide", "p[int64_t(row) * wide")],
            &[
                narrow,
                ("p[row * wide", "p[static_cast<size_t>(row) * wide"),
            ],
            // The number of rows is unknown.
            &[narrow, ("<<<65536, 128>>>(p", "<<<blocks, 128>>>(p")],
            &[narrow, ("  q[row", "  if (row < 1000) q[row")],
            &[("  int64_t wide = 65536;\n", "  int wide = int(p[0]);\n")],
        ],
    );
}

#[test]
fn the_strides_of_a_large_tensor_have_64_bits() {
    let narrow = ("  int64_t stride = 65536;\n", "  int stride = 65536;\n");
    assert_eq!(
        found(OFFSETS, &[narrow]),
        [
            "offset-overflow: offsets of from reach 4294967295, but an int holds 2147483647 at most: its strides have 32 bits"
        ]
    );
    assert_eq!(
        found(
            OFFSETS,
            &[(
                "make_layout(make_shape(65536, 65536), make_stride(stride, Int<1>{}))",
                "make_layout(make_shape(65536, 65536))"
            )]
        ),
        [
            "offset-overflow: offsets of from reach 4294967295, but an int holds 2147483647 at most: its strides have 32 bits"
        ]
    );
    // The layout is made where the kernel is launched.
    let given = [
        (
            "__global__ void tiles(half_t const* p, half_t* q) {\n",
            "template <class L>\n__global__ void tiles(half_t const* p, half_t* q, L layout) {\n",
        ),
        (
            "  int64_t stride = 65536;\n  auto layout = make_layout(make_shape(65536, 65536), make_stride(stride, Int<1>{}));\n",
            "",
        ),
        (
            "  tiles<<<1, 128>>>(a, b);",
            "  int64_t ld = 65536;\n  auto wide = make_layout(make_shape(65536, 65536), make_stride(ld, Int<1>{}));\n  tiles<<<1, 128>>>(a, b, wide);",
        ),
    ];
    silent(OFFSETS, &[&given]);
    let mut small = given.to_vec();
    small.push(("  int64_t ld = 65536;", "  int ld = 65536;"));
    assert_eq!(
        found(OFFSETS, &small),
        [
            "offset-overflow: offsets of from reach 4294967295, but an int holds 2147483647 at most: its strides have 32 bits"
        ]
    );
    silent(
        OFFSETS,
        &[
            &[
                narrow,
                ("make_shape(65536, 65536)", "make_shape(32768, 65536)"),
            ],
            &[
                narrow,
                ("make_shape(65536, 65536)", "make_shape(rows, 65536)"),
            ],
            // An index of a CTA is unsigned.
            &[
                narrow,
                ("make_shape(65536, 65536)", "make_shape(65535, 65536)"),
                ("from(65535, threadIdx.x)", "from(blockIdx.x, threadIdx.x)"),
            ],
            &[
                narrow,
                (
                    "make_stride(stride, Int<1>{})",
                    "make_stride(64L, Int<1>{})",
                ),
            ],
        ],
    );
}
