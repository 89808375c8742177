//! `cargo xtask trees`: how much is known of the layouts in the C++ of others, and why the rest is not.
//!
//! The trees are source distributions of PyPI, pinned by hash; CUTLASS's headers are those of `cargo xtask fetch`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::place::Checkout;
use crate::unknown::{Counts, Ranking};
use crate::{command, oracles, server};

/// The request of a run.
#[derive(clap::Args)]
pub(crate) struct Request {
    /// Write the table into docs/coverage.md
    #[arg(long)]
    write: bool,
    /// Only trees with this in their name
    #[arg(long, value_name = "TEXT")]
    only: Option<String>,
    /// The program that is judged, instead of one that is built
    #[arg(long, value_name = "PROGRAM")]
    tool: Option<PathBuf>,
}

/// A source distribution: the name of the package, the file, its hash; and the parts that are unpacked.
pub(crate) struct Source {
    pub(crate) pin: [&'static str; 3],
    pub(crate) parts: &'static [&'static str],
}

const FLASH_ATTENTION: Source = Source {
    pin: [
        "flash-attn",
        "flash_attn-2.8.3.post2.tar.gz",
        "d0f9f0b08a986cdeadbffcf5ec8b3a8f514366c68ad1853d3ab061bc83cc340b",
    ],
    parts: &["csrc/flash_attn/"],
};

const FLASH_SPARSE: Source = Source {
    pin: [
        "flash-sparse-attn",
        "flash_sparse_attn-2.0.6.tar.gz",
        "3bdf54f0480caa46413bae7c35527aa3973afcf8377a7d6112f3e01df28a4510",
    ],
    parts: &["csrc/flash_sparse_attn/"],
};

pub(crate) const VLLM: Source = Source {
    pin: [
        "vllm",
        "vllm-0.33.0.tar.gz",
        "f4c33c2503d52bb411146afa9618a4f48bed68912f617e6803ac8d76e4c74112",
    ],
    parts: &["csrc/"],
};

const NATTEN: Source = Source {
    pin: [
        "natten",
        "natten-0.21.7.tar.gz",
        "8417236b74db079b2d23899ec8f77514fb2dc73d4bbd6b346a45b6967fc05ffb",
    ],
    parts: &["csrc/", "scripts/", "LICENSE"],
};

pub(crate) const FLASHINFER: Source = Source {
    pin: [
        "flashinfer-python",
        "flashinfer_python-0.7.2.post1.tar.gz",
        "af60319898dcfd552ba12a34165b9dd46c0bbd83d48ce665b1df6bd6ae77e9f1",
    ],
    parts: &["csrc/", "include/", "flashinfer/"],
};

/// A tree: its name, its source, the folder in which the program runs, the folders of headers beside CUTLASS's, the
/// counted paths, and the macros that its build defines.
type Tree = (
    &'static str,
    &'static Source,
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

/// The macros with which `flashinfer/jit/gemm/fp8_blockscale.py` and `flashinfer/jit/fused_moe.py` compile
/// `csrc/nv_internal` where CUDA is 12.8 or newer; they pass its folders of headers, too.
const OF_NV_INTERNAL: &[&str] = &[
    "COMPILE_HOPPER_TMA_GEMMS",
    "COMPILE_HOPPER_TMA_GROUPED_GEMMS",
    "ENABLE_BF16",
    "ENABLE_FP8",
    "ENABLE_FP8_BLOCK_SCALE",
    "ENABLE_FP4",
    "USING_OSS_CUTLASS_MOE_GEMM",
    "CUTLASS_ENABLE_GDC_FOR_SM90",
];

/// The trees that are counted.
const TREES: [Tree; 8] = [
    (
        "flash-attn 2.8.3.post2, `csrc/flash_attn`",
        &FLASH_ATTENTION,
        "csrc/flash_attn",
        &[],
        &["."],
        &[],
    ),
    (
        "flash-sparse-attn 2.0.6, `csrc/flash_sparse_attn`",
        &FLASH_SPARSE,
        "csrc/flash_sparse_attn",
        &[],
        &["."],
        &[],
    ),
    ("vllm 0.33.0, `csrc`", &VLLM, "csrc", &["."], &["."], &[]),
    (
        "natten 0.21.7, `csrc`",
        &NATTEN,
        ".",
        &["csrc/include"],
        &["csrc"],
        &[],
    ),
    (
        "flashinfer 0.7.2.post1, `csrc/cute_sm12x_gemm`",
        &FLASHINFER,
        ".",
        &["include"],
        &["csrc/cute_sm12x_gemm"],
        &[],
    ),
    (
        "flashinfer, `csrc/nvfp4_attention_sm120` and `include/flashinfer/attention/sm120`",
        &FLASHINFER,
        ".",
        &["include"],
        &[
            "csrc/nvfp4_attention_sm120",
            "include/flashinfer/attention/sm120",
        ],
        &[],
    ),
    (
        "flashinfer, `include`",
        &FLASHINFER,
        ".",
        &["include"],
        &["include"],
        &[],
    ),
    (
        "flashinfer, `csrc/nv_internal`",
        &FLASHINFER,
        ".",
        &[
            "include",
            "csrc/nv_internal",
            "csrc/nv_internal/tensorrt_llm/cutlass_extensions/include",
        ],
        &["csrc/nv_internal"],
        OF_NV_INTERNAL,
    ),
];

/// The page with the table, and the text around it there.
const PAGE: &str = "docs/coverage.md";
const BEGIN: &str = "<!-- trees -->\n";
const END: &str = "<!-- end of trees -->";

/// Reasons that are listed.
const REASONS: usize = 10;

/// Prints the table and the most frequent reasons, or writes them into the page.
pub(crate) fn run(place: &Checkout, request: &Request) -> Result<()> {
    oracles::fetch(place)?;
    let tool = match &request.tool {
        Some(tool) => tool.clone(),
        None => server::build_release(place)?,
    };
    let mut rankings = Vec::new();
    for (name, source, folder, include, paths, macros) in TREES {
        let wanted = request.only.as_deref();
        if wanted.is_some_and(|wanted| !name.contains(wanted)) {
            continue;
        }
        let root = fetched(place, source)?.join(folder);
        rankings.push((name, of_tree(place, &tool, &root, include, paths, macros)?));
    }
    let text = table(&rankings) + &reasons(&rankings);
    println!("{text}");
    if request.write {
        written_into(&place.path(PAGE), (BEGIN, END), &text)?;
    }
    Ok(())
}

/// The folder of a source distribution, which is fetched when it is not there.
pub(crate) fn fetched(place: &Checkout, source: &Source) -> Result<PathBuf> {
    let [name, ..] = source.pin;
    let folder = place.oracles().join("trees").join(name);
    oracles::fetch_sdist(place, source.pin, source.parts, &folder)?;
    Ok(folder)
}

fn of_tree(
    place: &Checkout,
    tool: &Path,
    root: &Path,
    include: &[&str],
    paths: &[&str],
    macros: &[&str],
) -> Result<Ranking> {
    let mut layouts = command::program(place, tool);
    layouts
        .current_dir(root)
        .args(["layouts", "--unknown", "--format", "json"]);
    for folder in ["cutlass/include", "cutlass/tools/util/include"] {
        layouts.arg("-I").arg(place.oracles().join(folder));
    }
    for folder in include {
        layouts.arg("-I").arg(folder);
    }
    for name in macros {
        layouts.arg("-D").arg(name);
    }
    layouts.args(paths);
    Ranking::read(&command::output(&mut layouts)?)
}

fn table(rankings: &[(&str, Ranking)]) -> String {
    let mut table = String::from(
        "| sources | layouts: concrete | symbolic | unknown | concrete or symbolic | of the unknown, *supposed* | the most frequent reason |\n\
         | --- | --- | --- | --- | --- | --- | --- |\n",
    );
    for (name, found) in rankings {
        let Counts {
            concrete,
            symbolic,
            unknown,
        } = found.layouts;
        let per_mille = (concrete + symbolic) * 1000 / found.layouts.all().max(1);
        let first = found.reasons.first();
        let first = first.map(|it| format!("{} ({})", it.reason, it.layouts));
        let _ = writeln!(
            table,
            "| {name} | {concrete} | {symbolic} | {unknown} | {}.{} % | {} | {} |",
            per_mille / 10,
            per_mille % 10,
            found.supposed,
            first.unwrap_or_default()
        );
    }
    table
}

/// The commonest reasons of all trees together; the names of template parameters do not make different reasons.
fn reasons(rankings: &[(&str, Ranking)]) -> String {
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    let mut all = 0;
    for (_, found) in rankings {
        all += found.layouts.unknown;
        for reason in &found.reasons {
            *counts.entry(general(&reason.reason)).or_default() += reason.layouts;
        }
    }
    let mut ranked: Vec<(String, u64)> = counts.into_iter().collect();
    ranked.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut text =
        format!("\nThe {REASONS} most frequent reasons of the {all} unknown layouts:\n\n");
    for (reason, count) in ranked.iter().take(REASONS) {
        let _ = writeln!(text, "- {count}: {reason}");
    }
    text
}

/// A reason without the names that it is about.
fn general(reason: &str) -> String {
    let is_about_names = [
        "has no visible instantiation",
        "is not declared",
        "the length of the pack",
        "the body of",
    ];
    if !is_about_names.iter().any(|words| reason.contains(words)) {
        return reason.to_owned();
    }
    names_left_out(reason)
}

/// A text with `…` for each part between backticks.
pub(crate) fn names_left_out(reason: &str) -> String {
    let parts = reason.split('`').enumerate();
    parts
        .map(|(at, part)| if at % 2 == 1 { "…" } else { part })
        .collect()
}

/// Writes a text between two marks of a page.
pub(crate) fn written_into(page: &Path, (begin, end): (&str, &str), text: &str) -> Result<()> {
    let before =
        std::fs::read_to_string(page).with_context(|| format!("reading {}", page.display()))?;
    let (Some((head, rest)), true) = (before.split_once(begin), before.contains(end)) else {
        bail!("{} has no place for the table", page.display());
    };
    let (_, tail) = rest.split_once(end).unwrap_or_default();
    let after = format!("{head}{begin}\n{text}\n{end}{tail}");
    std::fs::write(page, after).with_context(|| format!("writing {}", page.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_counted_without_names() {
        assert_eq!(
            general("template parameter `KT` has no visible instantiation"),
            "template parameter … has no visible instantiation"
        );
        assert_eq!(
            general("`Swizzle` needs three constants"),
            "`Swizzle` needs three constants"
        );
    }
}
