//! Keys in files of real projects: the wait for the hints of the lines in view.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use cute_tests::keys::{Keys, Typist, measure};
use cute_tests::latency::Latencies;

use super::{apart, milliseconds};
use crate::measurements::Section;
use crate::place::Checkout;
use crate::{oracles, server};

/// Number of starts of the server, and of keys in the last one.
const STARTS: usize = 5;
const KEYS: usize = 95;
/// Translation units of the generated project, each with eight instances.
const UNITS: usize = 64;

/// `FlashAttention` 3 with the sources that its generator writes, as PyPI carries it; pinned by hash.
const FLASH_ATTENTION_3: [&str; 3] = [
    "xformers",
    "xformers-0.0.31.tar.gz",
    "3fccb159c6327c13fc1b08f8b963c2779ca526e2e50755dee9bcc1bac67d20c6",
];
const HOPPER: &str = "third_party/flash-attention/hopper/";

/// A measured file: its title, its workspace and path there, its language, and the line behind which is typed.
struct Subject {
    title: &'static str,
    root: PathBuf,
    file: &'static str,
    language: &'static str,
    behind: &'static str,
}

/// Measures the release build.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    let binary = server::build_release(place)?;
    let mut rows = Vec::new();
    for subject in subjects(place)? {
        println!("{}", subject.title);
        let typist = Typist {
            file: subject.root.join(subject.file),
            root: subject.root,
            language: subject.language.to_owned(),
            behind: subject.behind.to_owned(),
            typed: statement(subject.language).to_owned(),
        };
        let binary = binary.clone();
        let keys = apart(move || measure(&binary, &typist, STARTS, KEYS))?;
        rows.push(row(subject.title, &keys));
    }
    Ok(Section {
        name: "Keys on real trees",
        about: format!(
            "From a key to the hints of the 60 lines around it, over standard input and output: {KEYS} keys that type a \
             declaration, letter by letter, into a function; and from `didOpen` to these hints, the median of {STARTS} starts. \
             Processor time is that of all threads of the server, from a key to the next one, so with the work behind the answer \
             that the next key ends. FlashAttention 2, 3 and 4 are the sources of `flash-attn` 2.8.3, `xformers` 0.0.31 and `flash-attn-4`, \
             without CUTLASS beside them; the generated project has {UNITS} translation units with eight instances each."
        ),
        head: vec![
            "file",
            "opened",
            "key, 50th percentile",
            "95th",
            "processor time, 50th",
            "95th",
            "hints",
            "resident",
        ],
        rows,
    })
}

/// The declaration that is typed.
fn statement(language: &str) -> &'static str {
    match language {
        "python" => "typed_name = 1",
        "rust" => "let typed_name = 1;",
        _ => "int typed_name = 1;",
    }
}

fn subjects(place: &Checkout) -> Result<Vec<Subject>> {
    let oracles = place.oracles();
    let attention = oracles.join("flash-attention/csrc/flash_attn/src");
    let hopper = oracles.join("trees/flash-attention-3");
    oracles::fetch_sdist(place, FLASH_ATTENTION_3, &[HOPPER], &hopper)?;
    let generated = oracles.join("trees/generated-units");
    generate(&generated)?;
    let cpp = |title, root: &Path, file, behind| Subject {
        title,
        root: root.to_owned(),
        file,
        language: "cuda-cpp",
        behind,
    };
    Ok(vec![
        cpp(
            "CUTLASS 4.2 `sgemm_sm80.cu`",
            &oracles.join("cutlass"),
            "examples/cute/tutorial/sgemm_sm80.cu",
            "Tensor tCrA = thr_mma.partition_fragment_A",
        ),
        cpp(
            "FlashAttention 2 `kernel_traits.h`",
            &attention,
            "kernel_traits.h",
            "static constexpr int kNWarps = kNWarps_;",
        ),
        cpp(
            "FlashAttention 2 `flash_fwd_kernel.h`",
            &attention,
            "flash_fwd_kernel.h",
            "const int n_block_min = ",
        ),
        cpp(
            "FlashAttention 3 `mainloop_fwd_sm90_tma_gmma_ws.hpp`",
            &hopper.join(HOPPER),
            "mainloop_fwd_sm90_tma_gmma_ws.hpp",
            "Tensor sK = make_tensor(make_smem_ptr",
        ),
        cpp(
            "generated, 64 units, `mainloop.hpp`",
            &generated,
            "mainloop.hpp",
            "auto lines = ",
        ),
        Subject {
            title: "FlashAttention 4 `flash_fwd_sm90.py`",
            root: oracles::python_packages(place)?.join("flash-attn-4"),
            file: "flash_attn/cute/flash_fwd_sm90.py",
            language: "python",
            behind: "sQ = storage.sQ.get_tensor",
        },
        Subject {
            title: "Rust `cute_rs.rs`",
            root: place.path("examples"),
            file: "rust/cute_rs.rs",
            language: "rust",
            behind: "let mine = tiles.slice",
        },
    ])
}

/// A header with a kernel, and launchers that make eight instances of it in each translation unit.
fn generate(folder: &Path) -> Result<()> {
    let header = "#pragma once\nusing namespace cute;\n\
        template <int M, int N, bool A, bool B> __global__ void kernel(float* out) {\n\
        \x20 auto lines = make_layout(make_shape(Int<M>{}, Int<N>{}));\n\
        \x20 auto tiles = logical_divide(lines, make_tile(Int<8>{}, Int<4>{}));\n\
        \x20 auto rows = composition(lines, make_layout(Int<M>{}));\n}\n";
    let written = || -> std::io::Result<()> {
        std::fs::create_dir_all(folder)?;
        std::fs::write(folder.join("mainloop.hpp"), header)?;
        for unit in 1..=UNITS {
            let mut text = String::from("#include \"mainloop.hpp\"\nvoid run(float* out) {\n");
            for instance in 0..8 {
                let (a, b) = (instance & 1 != 0, instance & 2 != 0);
                let n = 16 << (instance / 4);
                // Writing to a string cannot fail.
                let _ = writeln!(
                    text,
                    "  kernel<{}, {n}, {a}, {b}><<<1, 128>>>(out);",
                    unit * 8
                );
            }
            text.push_str("}\n");
            std::fs::write(folder.join(format!("unit{unit:02}.cu")), text)?;
        }
        Ok(())
    };
    written().with_context(|| format!("cannot write {}", folder.display()))
}

fn row(title: &str, keys: &Keys) -> Vec<String> {
    let of = |times: &[Duration], percent| milliseconds(Latencies::percentile(times, percent));
    vec![
        title.to_owned(),
        of(&keys.opened, 50),
        of(&keys.clock, 50),
        of(&keys.clock, 95),
        of(&keys.processor, 50),
        of(&keys.processor, 95),
        keys.hints.to_string(),
        format!("{} MB", keys.resident / 1_000_000),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_has_the_percentiles() {
        let ms = Duration::from_millis;
        let keys = Keys {
            opened: vec![ms(90)],
            clock: vec![ms(1), ms(2), ms(3)],
            processor: vec![ms(4)],
            hints: 7,
            resident: 8_500_000,
        };
        let expected = [
            "x", "90.0 ms", "2.0 ms", "3.0 ms", "4.0 ms", "4.0 ms", "7", "8 MB",
        ];
        assert_eq!(row("x", &keys), expected);
    }
}
