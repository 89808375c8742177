//! The whole of CUTLASS's examples and of CuTe itself, as one run of `check` sees them.
//!
//! They compile and NVIDIA tests them, so an error found there is ours.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a failure in a helper fails the test"
)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cute_tests::binary::binary;
use cute_tests::client::Builder;
use cute_tests::oracles::{cutlass, flash_attention};
use cute_tests::protocol::Position;
use serde_json::{Value, json};

/// The findings below a folder, also mere information; `check` has to end by itself, with the exit code that it documents.
fn findings(folder: &Path) -> Vec<Value> {
    let run = Command::new(binary())
        .args(["check", "--all", "--format", "json"])
        .arg(folder)
        .output()
        .expect("cute-analyzer starts");
    let stderr = String::from_utf8_lossy(&run.stderr);
    assert!(
        matches!(run.status.code(), Some(0 | 1)),
        "{}: {stderr}",
        run.status
    );
    assert!(!stderr.contains("panicked"), "{stderr}");
    String::from_utf8(run.stdout)
        .expect("UTF-8")
        .lines()
        .map(|line| serde_json::from_str(line).expect("one JSON object per line"))
        .collect()
}

/// The findings in all examples.
static EXAMPLES: LazyLock<Vec<Value>> = LazyLock::new(|| findings(&cutlass().join("examples")));

/// Path below the examples' parent, line and rule of a finding about a comment.
fn about_comment(finding: &Value) -> Option<(String, u64, String)> {
    let rule = finding["rule"].as_str().expect("a rule");
    let path = Path::new(finding["file"].as_str().expect("a path"));
    let below = path.strip_prefix(cutlass()).unwrap_or(path);
    let line = finding["line"].as_u64().expect("a line");
    let found = matches!(rule, "stale-layout-comment" | "stale-shape-comment");
    found.then(|| (below.display().to_string(), line, rule.to_owned()))
}

/// The rows of a table of `tests/data`, without the line that names its columns.
fn rows(table: &str) -> Vec<Vec<&str>> {
    table
        .lines()
        .skip(1)
        .map(|line| line.split('\t').collect())
        .collect()
}

/// The number that README.md names.
#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn the_wrong_comments_of_the_tutorials_are_as_many_as_the_readme_says() {
    let of_tutorials = EXAMPLES
        .iter()
        .filter_map(about_comment)
        .filter(|(path, ..)| path.contains("cute/tutorial/"));
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../README.md");
    let readme = std::fs::read_to_string(readme).expect("the first page");
    let said = format!("{} such comments", of_tutorials.count());
    assert!(readme.contains(&said), "{said}");
}

/// NVIDIA's five tutorials for Blackwell show in 113 comments what the tensors inside their kernels
/// and the layouts of shared memory print as. 36 of them are wrong; 4 more differ only in a static
/// zero of a coordinate, and 2 only in parentheses around everything: these are right as layouts.
#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn the_wrong_layout_comments_of_the_blackwell_tutorials_are_found_and_no_right_one() {
    let table = rows(include_str!("../data/blackwell_comments.tsv"));
    let lines_of = |is_wrong: bool| -> BTreeSet<(String, u64)> {
        table
            .iter()
            .filter(|row| (row[2] == "wrong") == is_wrong)
            .map(|row| (row[0].to_owned(), row[1].parse().expect("a line")))
            .collect()
    };
    let (wrong, right) = (lines_of(true), lines_of(false));
    assert_eq!((wrong.len(), right.len()), (36, 77));
    let found: BTreeSet<(String, u64)> = EXAMPLES
        .iter()
        .filter_map(about_comment)
        .filter(|(path, _, rule)| path.contains("/blackwell/") && rule == "stale-layout-comment")
        .map(|(path, line, _)| {
            let name = Path::new(&path).file_name().expect("a name");
            (name.display().to_string(), line)
        })
        .collect();
    println!(
        "{} of {} wrong comments found, {} of {} right ones taken for wrong",
        found.intersection(&wrong).count(),
        wrong.len(),
        found.intersection(&right).count(),
        right.len()
    );
    assert_eq!(found, wrong);
}

/// Every finding about a comment in the examples was looked at, and is true.
#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn every_finding_about_a_comment_is_a_reviewed_one() {
    let reviewed: BTreeSet<(String, u64, String)> =
        rows(include_str!("../data/reviewed_comments.tsv"))
            .iter()
            .map(|row| {
                let line = row[1].parse().expect("a line");
                (row[0].to_owned(), line, row[2].to_owned())
            })
            .collect();
    let found: BTreeSet<_> = EXAMPLES.iter().filter_map(about_comment).collect();
    assert_eq!(found, reviewed);
}

/// Rules about what kernels cost and whether their barriers agree.
const COSTS: &[&str] = &[
    "tx-bytes-mismatch",
    "arrival-count-mismatch",
    "multicast-mask",
    "smem-exceeds-capacity",
    "launch-bounds",
    "register-pool-exceeded",
    "setmaxnreg-ignored",
    "register-spill",
    "tmem-exceeds-allocation",
    "tmem-columns",
    "tmem-wait",
    "tmem-lifetime",
    "tmem-lanes",
    "cluster-exit",
    "grid-dependency",
    "offset-overflow",
    "ragged-store",
    "grid-overrun",
    "grid-axis",
    "divergent-collective",
    "stage-out-of-range",
    "instruction-not-available",
    "smem-extent",
    "smem-alignment",
    "copy-beyond-tensor",
    "overlapping-store",
    "thread-count-mismatch",
    "slice-by-cta",
    "swapped-operand",
    "copy-group-wait",
    "stage-order",
    "async-copy-wait",
    "wgmma-arrive",
    "wgmma-wait",
    "shared-race",
    "barrier-phase",
    "barrier-never-arrived",
    "barrier-never-waited",
    "barrier-not-visible",
    "barrier-order",
    "named-barrier",
    "accumulate-flag",
    "proxy-fence",
    "tma-store-wait",
    "over-run",
    "never-written",
    "overlapping-modes",
    "write-race",
];

/// Every warning and error of the rules about costs was looked at, and is true: tutorials round their
/// grid up to clusters and store without predicates.
#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn every_finding_about_costs_is_a_reviewed_one() {
    let reviewed: BTreeSet<(String, u64, String)> =
        rows(include_str!("../data/reviewed_costs.tsv"))
            .iter()
            .map(|row| {
                let line = row[1].parse().expect("a line");
                (row[0].to_owned(), line, row[2].to_owned())
            })
            .collect();
    let found: BTreeSet<_> = EXAMPLES
        .iter()
        .filter(|finding| finding["severity"] != "information")
        .filter_map(|finding| {
            let rule = finding["rule"].as_str().expect("a rule");
            let path = Path::new(finding["file"].as_str().expect("a path"));
            let below = path.strip_prefix(cutlass()).unwrap_or(path);
            let line = finding["line"].as_u64().expect("a line");
            COSTS
                .contains(&rule)
                .then(|| (below.display().to_string(), line, rule.to_owned()))
        })
        .collect();
    assert_eq!(found, reviewed);
}

#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn sources_that_compile_have_no_error() {
    let headers = findings(&cutlass().join("include/cute"));
    for (folder, findings) in [("examples", &*EXAMPLES), ("include/cute", &headers)] {
        let errors: Vec<&Value> = findings
            .iter()
            .filter(|finding| finding["severity"] == "error" && !is_judged_true(finding))
            .collect();
        assert!(errors.is_empty(), "{folder}: {errors:#?}");
    }
}

/// Faults of NVIDIA's own tutorials, which `docs/rules/judged.md` explains.
fn is_judged_true(finding: &Value) -> bool {
    const JUDGED: [(&str, &str); 5] = [
        ("shared-race", "tutorial/hopper/wgmma_sm90.cu"),
        ("proxy-fence", "tutorial/hopper/wgmma_sm90.cu"),
        ("barrier-order", "tutorial/hopper/wgmma_tma_sm90.cu"),
        (
            "tmem-lifetime",
            "tutorial/blackwell/04_mma_tma_2sm_sm100.cu",
        ),
        (
            "tmem-lifetime",
            "tutorial/blackwell/05_mma_tma_epi_sm100.cu",
        ),
    ];
    let file = finding["file"].as_str().expect("a path");
    JUDGED
        .iter()
        .any(|(rule, of)| finding["rule"] == *rule && file.ends_with(of))
}

/// `48_hopper_warp_specialized_gemm.cu` leaves stages, schedule and epilogue to the builders.
#[test]
#[ignore = "needs CUTLASS's sources; `cargo xtask test` runs it"]
fn the_mainloop_of_a_builder_says_what_was_picked() {
    let name = "48_hopper_warp_specialized_gemm";
    let source = cutlass().join(format!("examples/{name}/{name}.cu"));
    let run = Command::new(binary())
        .arg("hover")
        .arg(format!("{}:125:8", source.display()))
        .output()
        .expect("cute-analyzer starts");
    let shown = String::from_utf8(run.stdout).expect("UTF-8");
    let expected = [
        "alias CollectiveMainloop: type",
        "MainloopSm90TmaGmmaWarpSpecialized<7, (_4,_2,_1), KernelTmaWarpSpecializedCooperative>",
        "7 stages x 32,768 B, 229,504 of 232,448 B",
        "cooperative TMA schedule (Auto), m64n128k8 tf32",
        "A and B by TMA multicast: 32,768 B per stage expected by its barrier",
        "epilogue Auto = no smem, no TMA store; kernel: 229,760 of 232,448 B, 384 threads, \
         40 registers to load and 232 to multiply",
    ];
    assert_eq!(shown.lines().collect::<Vec<_>>(), expected);
}

/// The sources of CuTe's tutorials.
fn tutorials() -> Vec<PathBuf> {
    let mut folders = vec![cutlass().join("examples/cute/tutorial")];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "cu") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The positions at which every third word of a source begins.
fn words(text: &str) -> Vec<Position> {
    let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
    let bytes = text.as_bytes();
    let begins = |at: &usize| is_word(bytes[*at]) && (*at == 0 || !is_word(bytes[*at - 1]));
    (0..bytes.len())
        .filter(begins)
        .step_by(3)
        .map(|at| Position::of_offset(text, at))
        .collect()
}

#[test]
#[ignore = "reads all tutorials; `cargo xtask test` runs it"]
fn no_hover_of_a_tutorial_is_longer_than_its_first_screen_and_no_hint_than_a_line_has_room() {
    let mut shown = 0;
    for path in tutorials() {
        let text = std::fs::read_to_string(&path).expect("a source");
        let uri = format!("file://{}", path.display());
        let mut client = Builder::new(binary())
            .capability("/textDocument/hover/contentFormat", json!(["plaintext"]))
            .start();
        client.open(&uri, &text);
        for position in words(&text) {
            let Some(hover) = client.hover(&uri, position) else {
                continue;
            };
            shown += 1;
            let lines = hover.contents.value.lines().count();
            assert!(
                (1..=12).contains(&lines),
                "{}:{position:?}:\n{}",
                path.display(),
                hover.contents.value
            );
        }
        let hints = client.hints(&uri, None);
        let lines: BTreeSet<u32> = hints.iter().map(|hint| hint.position.line).collect();
        assert_eq!(
            lines.len(),
            hints.len(),
            "{}: two hints in a line",
            path.display()
        );
        for hint in &hints {
            let label = hint.label.as_str().expect("a text");
            assert!(label.chars().count() <= 46, "{}: {label}", path.display());
        }
    }
    assert!(shown > 1_000, "{shown}");
}

/// Names of kernels in CUTLASS's tutorials: file, line and column, what the hover says of the memory, the registers or
/// the instruction that is meant.
const HOVERS: [(&str, &str, &str); 10] = [
    (
        "hopper/wgmma_sm90.cu",
        "110:10",
        "16-bit elements in shared memory, 49152 bytes",
    ),
    (
        "hopper/wgmma_sm90.cu",
        "158:10",
        "lanes along mode 0, one element each:",
    ),
    ("hopper/wgmma_sm90.cu", "166:10", "64 registers"),
    (
        "hopper/wgmma_sm90.cu",
        "102:10",
        "16-bit elements in global memory",
    ),
    ("hopper/wgmma_sm90.cu", "321:8", "shared memory"),
    (
        "sgemm_2.cu",
        "110:10",
        "widest vector access: 4 elements (16 bytes)",
    ),
    ("sgemm_2.cu", "100:10", "32-bit elements in shared memory"),
    ("sgemm_2.cu", "145:10", "registers"),
    ("sgemm_2.cu", "113:10", "registers"),
    ("sgemm_2.cu", "274:8", "mode 0 is contiguous (128 elements)"),
];

/// The same of `FlashAttention`'s forward kernel.
const FLASH_ATTENTION: [(&str, &str, &str); 5] = [
    (
        "flash_fwd_kernel.h",
        "161:12",
        "16-bit elements in shared memory",
    ),
    (
        "flash_fwd_kernel.h",
        "165:12",
        "32 lanes along mode 1: no bank conflict",
    ),
    (
        "flash_fwd_kernel.h",
        "173:12",
        "16-bit elements in shared memory, 30736 bytes",
    ),
    (
        "flash_fwd_kernel.h",
        "185:12",
        "widest vector access: 2 elements (4 bytes)",
    ),
    ("flash_fwd_kernel.h", "187:12", "registers"),
];

/// The same of the examples.
const EXAMPLE: [(&str, &str, &str); 2] = [
    ("tensor_cores.cu", "20:10", "bank conflict"),
    ("tiled_gemm.cu", "103:9", "size 64, cosize 127, rank 1"),
];

#[test]
#[ignore = "reads hundreds of files; `cargo xtask test` runs it"]
fn a_hover_begins_with_the_value_and_its_facts() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples");
    let places = HOVERS
        .map(|row| (cutlass().join("examples/cute/tutorial"), row))
        .into_iter()
        .chain(FLASH_ATTENTION.map(|row| (flash_attention().join("csrc/flash_attn/src"), row)))
        .chain(EXAMPLE.map(|row| (examples.clone(), row)));
    for (folder, (file, place, fact)) in places {
        let run = Command::new(binary())
            .arg("hover")
            .arg("-I")
            .arg(cutlass().join("include"))
            .arg(format!("{}:{place}", folder.join(file).display()))
            .output()
            .expect("cute-analyzer starts");
        let shown = String::from_utf8(run.stdout).expect("UTF-8");
        let lines: Vec<&str> = shown.lines().collect();
        assert!(lines.len() <= 12, "{file}:{place}: {shown}");
        assert!(
            lines.get(1).is_some_and(|value| value.contains(':')),
            "{file}:{place}: {shown}"
        );
        let at = lines.iter().position(|line| line.contains(fact));
        let instances = lines.iter().position(|line| line.starts_with("shown: "));
        assert!(
            at.is_some_and(|at| instances.is_none_or(|instances| at < instances)),
            "{file}:{place}: {shown}"
        );
    }
}
