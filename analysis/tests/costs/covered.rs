//! Launches whose threads do not come to all elements of a step.

use super::launched::{found, silent};

const OFFSETS: &str = include_str!("../../../tests/data/kernels/wide_offsets.cu");

/// Warps of all CTAs take one row after the other.
#[test]
fn the_ctas_of_a_grid_cover_their_step_of_it() {
    let half = ("scatter_rows<<<1024, 256>>>", "scatter_rows<<<1024, 128>>>");
    assert_eq!(
        found(OFFSETS, &[half]),
        [
            "thread-count-mismatch: the grid steps by 8 per CTA, but the threads of one cover only 4: the rest is skipped"
        ]
    );
    silent(
        OFFSETS,
        &[
            &[("rows", "rows")],
            // The warps take two rows each.
            &[
                half,
                (
                    "      there[c] = from[static_cast<int64_t>(row) * 4096 + c];",
                    "      there[c] = from[static_cast<int64_t>(row) * 4096 + c];\n      there[c + 4 * 4096] = from[static_cast<int64_t>(row + 4) * 4096 + c];",
                ),
            ],
            &[
                half,
                (
                    "int c = lane; c < 4096; c += 32",
                    "int c = lane; c < 8 * 4096; c += 32",
                ),
            ],
            // The CTAs follow each other by four rows.
            &[
                half,
                ("blockIdx.x * 8 + warp", "blockIdx.x * 4 + warp"),
                ("gridDim.x * 8", "gridDim.x * 4"),
            ],
            // Half of the rows are of another kernel.
            &[half, ("gridDim.x * 8", "gridDim.x * 8 * 2")],
            &[
                half,
                ("int row = blockIdx.x * 8", "int row = blockIdx.y * 8"),
            ],
        ],
    );
}

/// A kernel with an element of an array in shared memory for each thread.
#[test]
fn an_array_has_an_element_for_each_thread() {
    const SCAN: &str = include_str!("../../../tests/data/kernels/scan.cu");
    let half = (
        "scan_in_place<<<blocks, 256>>>",
        "scan_in_place<<<blocks, 128>>>",
    );
    assert_eq!(
        found(SCAN, &[half]),
        [
            "thread-count-mismatch: `s` and each CTA's part of `data` have 256 elements, but the launch has 128 threads: the rest is left out"
        ]
    );
    // Two buffers take turns.
    assert_eq!(
        found(SCAN, &[("<<<blocks, 512>>>", "<<<blocks, 256>>>")]),
        [
            "thread-count-mismatch: `temp` and each CTA's part of `in` have 512 elements, but the launch has 256 threads: the rest is left out"
        ]
    );
    let second = "  data[blockIdx.x * 256 + t] = s[t];";
    silent(
        SCAN,
        &[
            &[("data", "data")],
            // The array is only too long.
            &[
                half,
                ("data[blockIdx.x * 256 + t]", "data[blockIdx.x * 128 + t]"),
            ],
            &[half, ("__shared__ float s[256]", "__shared__ float s[512]")],
            // The second half is of other accesses.
            &[
                half,
                (
                    second,
                    "  data[blockIdx.x * 256 + t] = s[t];\n  data[blockIdx.x * 256 + t + 128] = 0.0f;",
                ),
            ],
            &[
                half,
                (
                    second,
                    "  data[blockIdx.x * 256 + t] = s[t];\n  s[t + 128] = 0.0f;",
                ),
            ],
            &[
                half,
                (
                    second,
                    "  data[blockIdx.x * 256 + t] = s[t];\n  finish(data, s);",
                ),
            ],
            // A second launch may have the rest.
            &[
                half,
                (
                    "  scan_in_place<<<blocks, 128>>>(data);",
                    "  scan_in_place<<<blocks, 128>>>(data);\n  scan_in_place<<<blocks, 256>>>(data);",
                ),
            ],
        ],
    );
}

/// A configuration that is a copy, or made in braces.
#[test]
fn a_configuration_may_be_a_copy() {
    const CHAIN: &str = include_str!("../../../tests/data/kernels/pdl_chain.cu");
    let half = (
        "config.blockDim = dim3(256);",
        "config.blockDim = dim3(128);",
    );
    let message = "thread-count-mismatch: the threads of the launch reach 2048 of 4096 elements";
    assert_eq!(found(CHAIN, &[half]), [message]);
    let copy =
        "  cudaLaunchConfig_t last = config;\n  last.gridDim = dim3((rows * columns + 255) / 256);";
    let of_parts = |block: &str| {
        [
            format!(
                "  cudaLaunchConfig_t last{{dim3((rows * columns + 255) / 256), {block}, 0, stream}};"
            ),
            format!(
                "  auto last = cudaLaunchConfig_t{{.gridDim = dim3((rows * columns + 255) / 256), .blockDim = {block}}};"
            ),
        ]
    };
    for made in of_parts("dim3(128)") {
        assert_eq!(found(CHAIN, &[(copy, &made)]), [message], "{made}");
    }
    for made in of_parts("dim3(256)") {
        silent(CHAIN, &[&[(copy, &made)]]);
    }
    silent(
        CHAIN,
        &[
            &[("config", "config")],
            // The copy changes, or that of which it is one.
            &[
                half,
                (copy, &format!("{copy}\n  last.blockDim = dim3(256);")),
            ],
            &[half, (copy, &format!("{copy}\n  change(&last);"))],
            &[half, (copy, &format!("  change(&config);\n{copy}"))],
            &[half, (copy, &copy.replace("= config", "= made(config)"))],
        ],
    );
}
