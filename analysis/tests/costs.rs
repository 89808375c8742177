//! What follows from layouts: counts, budgets, barriers, masks, bounds, preconditions.

#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)] // A test fails so.

mod support;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use cute_analysis::{Analysis, Cost, Occupancy, Options};
use cute_hardware::multiprocessor::{Limit, Multiprocessor};
use support::analysed;

/// The sources of CUTLASS 4.2: `CUTE_CUTLASS`, or what `cargo xtask fetch` left.
fn tutorial(name: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let cutlass = std::env::var_os("CUTE_CUTLASS")
        .map_or_else(|| root.join("target/oracles/cutlass"), PathBuf::from);
    let path = cutlass.join("examples/cute/tutorial").join(name);
    std::fs::read_to_string(&path).unwrap_or_else(|error| {
        panic!(
            "{}: {error}; `cargo xtask fetch` brings it, or set CUTE_CUTLASS",
            path.display()
        )
    })
}

fn costs_of(text: &str) -> Analysis {
    let options = Options {
        remedies: false,
        ..Options::default()
    };
    analysed(text, &options)
}

/// The notes of the lines of a source: line, instance, cost.
fn notes(text: &str, analysis: &Analysis, lines: &[usize]) -> String {
    let mut shown = String::new();
    for note in &analysis.notes {
        let line = text[..note.anchor.start].matches('\n').count() + 1;
        if lines.contains(&line) {
            let _ = writeln!(
                shown,
                "{line} [{}]: {:?}",
                note.instance.as_deref().unwrap_or("-"),
                note.cost
            );
        }
    }
    shown
}

#[test]
fn the_lines_of_the_hopper_tutorial_cost_what_the_program_does() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = costs_of(&text);
    let shown = notes(&text, &analysis, &[135, 174, 198, 229, 292, 312, 376]);
    insta::assert_snapshot!(shown);
}

#[test]
fn masks_and_transaction_of_a_pair_of_ctas() {
    let text = tutorial("blackwell/04_mma_tma_2sm_sm100.cu");
    let analysis = costs_of(&text);
    let mut shown = String::new();
    for note in &analysis.notes {
        let line = text[..note.anchor.start].matches('\n').count() + 1;
        match &note.cost {
            Cost::Mask(mask) if line <= 299 => {
                let first = &mask.masks[0];
                let _ = writeln!(shown, "{line}: {:#06x} {:?}", first.bits(), first.ctas);
            }
            Cost::Transaction(found) => {
                let _ = writeln!(
                    shown,
                    "{line}: {} = {} CTAs x {:?}",
                    found.announced,
                    found.ctas,
                    found
                        .arrived
                        .iter()
                        .map(|part| part.bytes)
                        .collect::<Vec<_>>()
                );
            }
            _ => {}
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn the_budget_of_the_hopper_tutorial() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = costs_of(&text);
    let hopper = Multiprocessor::of(90).expect("sm_90");
    let [nt, tn] = analysis.budgets.as_slice() else {
        panic!("{:#?}", analysis.budgets);
    };
    for budget in [nt, tn] {
        let storage = &budget.shared[0];
        assert_eq!(storage.size, Ok(98_432));
        let bytes = |parts: &[cute_analysis::BufferCost]| -> Vec<(i64, Option<i64>)> {
            parts.iter().map(|part| (part.bytes, part.stages)).collect()
        };
        assert_eq!(
            bytes(&storage.buffers),
            [(49_152, Some(3)), (49_152, Some(3))]
        );
        assert_eq!(bytes(&storage.barriers), [(24, Some(3)), (24, Some(3))]);
        assert_eq!(storage.padding, 80);
        assert_eq!(storage.most_stages(hopper.shared_of_a_cta), Some(7));
        assert_eq!(budget.registers(), 64);
        assert_eq!(budget.threads(), Some(128));
        assert_eq!(
            budget.occupancy(hopper),
            Some(Occupancy {
                ctas: 2,
                limit: Limit::Shared
            })
        );
    }
}

#[test]
fn the_small_boxes_of_the_hopper_tutorial_get_another_order() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let analysis = analysed(&text, &Options::default());
    let small: Vec<_> = analysis
        .findings
        .iter()
        .filter(|finding| finding.rule == "tma-box-small")
        .collect();
    let lines: Vec<usize> = small
        .iter()
        .map(|finding| text[..finding.span.start].matches('\n').count() + 1)
        .collect();
    assert_eq!(lines, [292, 293]);
    for finding in small {
        assert_eq!(finding.remedies.len(), 1, "{finding:#?}");
        assert_eq!(finding.remedies[0].edits[0].new_text, ", Step<_2,_1,_3>{}");
    }
}

/// The rule, line and message of each finding about barriers, masks and memory.
fn findings(text: &str) -> Vec<String> {
    const RULES: &[&str] = &[
        "tx-bytes-mismatch",
        "arrival-count-mismatch",
        "multicast-mask",
        "smem-exceeds-capacity",
    ];
    costs_of(text)
        .findings
        .iter()
        .filter(|finding| RULES.contains(&finding.rule))
        .map(|finding| {
            let line = text[..finding.span.start].matches('\n').count() + 1;
            format!("{line} {}: {}", finding.rule, finding.message)
        })
        .collect()
}

/// A source with one place changed.
fn changed(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    text.replacen(from, to, 1)
}

#[test]
fn tutorials_as_they_are_have_no_wrong_barrier() {
    for name in [
        "hopper/wgmma_tma_sm90.cu",
        "hopper/wgmma_sm90.cu",
        "blackwell/01_mma_sm100.cu",
        "blackwell/02_mma_tma_sm100.cu",
        "blackwell/03_mma_tma_multicast_sm100.cu",
        "blackwell/04_mma_tma_2sm_sm100.cu",
        "blackwell/05_mma_tma_epi_sm100.cu",
    ] {
        assert_eq!(findings(&tutorial(name)), Vec::<String>::new(), "{name}");
    }
}

#[test]
fn mutations_of_a_pipeline_are_found() {
    let text = tutorial("hopper/wgmma_tma_sm90.cu");
    let mut shown = String::new();
    for (from, to) in [
        // One operand is not announced.
        ("+ sizeof(make_tensor_like(tensor<0>(tBsB)));", ";"),
        // The first copy of B is gone.
        (
            "copy(tma_b.with(producer_mbar[pipe]), tBgB(_,k_tile), tBsB(_,pipe));",
            "",
        ),
        // The consumers are not all counted.
        (
            "ConsumerBarType::init(&consumer_mbar[pipe], 128);",
            "ConsumerBarType::init(&consumer_mbar[pipe], 1);",
        ),
        // More stages than fit.
        ("auto bP = Int<  3>{};", "auto bP = Int<  8>{};"),
    ] {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(&text, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}

#[test]
fn mutations_of_a_pair_of_ctas_are_found() {
    let text = tutorial("blackwell/04_mma_tma_2sm_sm100.cu");
    let mut shown = String::new();
    for (from, to) in [
        // Only the bytes of one CTA.
        (
            "size<0>(cluster_layout_vmnk) * sizeof(make_tensor_like(tAsA))",
            "sizeof(make_tensor_like(tAsA))",
        ),
        // The mask of the other operand.
        (
            "tma_atom_A.with(shared_storage.tma_barrier,tma_mcast_mask_a)",
            "tma_atom_A.with(shared_storage.tma_barrier,tma_mcast_mask_b)",
        ),
        // This CTA counts twice.
        (
            "size<1>(cluster_layout_vmnk) + size<2>(cluster_layout_vmnk) - 1",
            "size<1>(cluster_layout_vmnk) + size<2>(cluster_layout_vmnk)",
        ),
        // The copy of B is gone.
        (
            "copy(tma_atom_B.with(shared_storage.tma_barrier,tma_mcast_mask_b), tBgB(_,k_tile), tBsB);",
            "",
        ),
    ] {
        let _ = writeln!(shown, "{from} -> {to}");
        for found in findings(&changed(&text, from, to)) {
            let _ = writeln!(shown, "  {found}");
        }
    }
    insta::assert_snapshot!(shown);
}
