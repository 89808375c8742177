//! Refusals of the CuTe DSL while it traces, and calls that it takes in silence: each wrong source has a right twin.

mod support;

use cute_analysis::{Options, Severity};
use support::analysed;
use tree_sitter_cute::Host;

const HEAD: &str = "\
import cutlass
import cutlass.cute as cute
from cutlass.cute.nvgpu import warp, warpgroup, tcgen05

SMEM, K = warpgroup.OperandSource.SMEM, warpgroup.OperandMajorMode.K
MN = warpgroup.OperandMajorMode.MN
F16, F32, F8 = cutlass.Float16, cutlass.Float32, cutlass.Float8E4M3FN
ONE, TWO, IN = tcgen05.CtaGroup.ONE, tcgen05.CtaGroup.TWO, tcgen05.OperandSource.SMEM

@cute.jit
def traced():
";

/// The rules that lines in a traced function break, with the first lines of their messages.
fn found(body: &str) -> Vec<(&'static str, Severity, String)> {
    let mut text = HEAD.to_owned();
    for line in body.trim_matches('\n').lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let findings = analysed(&text, &options).findings;
    findings
        .into_iter()
        .map(|it| {
            let first = it.message.lines().next().unwrap_or_default().to_owned();
            (it.rule, it.severity, first)
        })
        .collect()
}

/// Expects one error of a rule, and nothing of the twin.
fn refused(wrong: &str, right: &str, rule: &str, says: &str) {
    let findings = found(wrong);
    assert_eq!(findings.len(), 1, "{wrong}: {findings:?}");
    let (broken, severity, message) = &findings[0];
    assert_eq!((*broken, *severity), (rule, Severity::Error), "{wrong}");
    assert!(message.contains(says), "{wrong}: {message}");
    silent(right);
}

fn silent(body: &str) {
    let findings = found(body);
    assert!(findings.is_empty(), "{body}: {findings:?}");
}

#[test]
fn names_that_are_not_there_are_told_with_the_nearest() {
    let tiled = "tm = cute.make_tiled_mma(warp.MmaF16BF16Op(F16, F32, (16, 8, 16)), (2, 2, 1))\n";
    for (wrong, right, rule, says) in [
        (
            "r = cute.make_layout((4, 8), strides=(8, 1))",
            "r = cute.make_layout((4, 8), stride=(8, 1))",
            "no-such-argument",
            "the nearest is `stride`",
        ),
        (
            "r = cute.size(cute.make_layout((4, 8)), axis=[1])",
            "r = cute.size(cute.make_layout((4, 8)), mode=[1])",
            "no-such-argument",
            "`size` has no argument `axis`",
        ),
        (
            "r = cute.local_tile(cute.make_identity_tensor((64, 64)), tiler=(16, 16), cord=(0, 0))",
            "r = cute.local_tile(cute.make_identity_tensor((64, 64)), tiler=(16, 16), coord=(0, 0))",
            "no-such-argument",
            "the nearest is `coord`",
        ),
        (
            &format!("{tiled}r = tm.thr_layout_vmkn"),
            &format!("{tiled}r = tm.thr_layout_vmnk"),
            "no-such-member",
            "the nearest is `thr_layout_vmnk`",
        ),
        (
            &format!("{tiled}r = tm.get_slice(0).partition_D(cute.make_identity_tensor((64, 64)))"),
            &format!("{tiled}r = tm.get_slice(0).partition_C(cute.make_identity_tensor((64, 64)))"),
            "no-such-member",
            "`ThrMma` has no member `partition_D`",
        ),
    ] {
        refused(wrong, right, rule, says);
    }
}

#[test]
fn what_may_not_be_traced_or_is_caught_is_no_finding() {
    silent("try:\n    r = cute.make_layout((4, 8), strides=(8, 1))\nexcept TypeError:\n    r = 1");
    silent(
        "layout = cute.make_layout(4)\nr = hasattr(layout, 'swizzle') or getattr(layout, 'swizzle', 1)",
    );
    silent(
        "import somewhere\nif somewhere.is_old:\n    r = cute.make_layout((4, 8), strides=(8, 1))",
    );
    silent(
        "op = None\ntry:\n    op = warp.MmaF16BF16Op(F16, F32, (16, 8, 9))\nexcept Exception:\n    pass",
    );
}

#[test]
fn parameters_of_operations_are_those_that_instructions_have() {
    let group = |shape: &str| format!("warpgroup.MmaF16BF16Op(F16, F32, {shape}, SMEM, K, K)");
    let tensor = |shape: &str, group: &str| {
        format!("tcgen05.MmaF16BF16Op(F16, F32, {shape}, {group}, IN, K, K)")
    };
    for (wrong, right, rule, says) in [
        (
            "warp.MmaF16BF16Op(F16, F32, (16, 8, 9))".to_owned(),
            "warp.MmaF16BF16Op(F16, F32, (16, 8, 8))".to_owned(),
            "mma-shape",
            "but got (16,8,9)",
        ),
        (
            "warp.MmaF16BF16Op(F32, F32, (16, 8, 16))".into(),
            "warp.MmaF16BF16Op(cutlass.BFloat16, F32, (16, 8, 16))".into(),
            "mma-operand",
            "but got Float32",
        ),
        (
            "warp.MmaF16BF16Op(cutlass.BFloat16, F16, (16, 8, 16))".into(),
            "warp.MmaF16BF16Op(F16, F16, (16, 8, 16))".into(),
            "mma-operand",
            "'acc_dtype'",
        ),
        (
            group("(64, 100, 16)"),
            group("(64, 104, 16)"),
            "mma-shape",
            "but got 100",
        ),
        (
            group("(32, 64, 16)"),
            group("(64, 64, 16)"),
            "mma-shape",
            "M-mode to be 64",
        ),
        (
            group("(64, 64, 32)"),
            group("(64, 64)"),
            "mma-shape",
            "K-mode to be 16",
        ),
        (
            tensor("(96, 256, 16)", "ONE"),
            tensor("(64, 256, 16)", "ONE"),
            "mma-shape",
            "64 or 128",
        ),
        (
            tensor("(64, 256, 16)", "TWO"),
            tensor("(256, 256, 16)", "TWO"),
            "mma-shape",
            "128 or 256",
        ),
        (
            tensor("(256, 24, 16)", "TWO"),
            tensor("(128, 24, 16)", "ONE"),
            "mma-shape",
            "N % 16 == 0",
        ),
        (
            "warp.LdMatrix8x8x16bOp(False, 3)".into(),
            "warp.LdMatrix8x8x16bOp(False, 2)".into(),
            "atom-parameters",
            "one of [1,2,4], but got 3",
        ),
    ] {
        refused(
            &format!("op = {wrong}"),
            &format!("op = {right}"),
            rule,
            says,
        );
    }
}

#[test]
fn what_is_made_of_a_refused_operation_is_told_once() {
    let body = "op = warp.MmaF16BF16Op(F16, F32, (16, 8, 9))\ntm = cute.make_tiled_mma(op)\n\
                r = tm.get_slice(0).partition_C(cute.make_identity_tensor((64, 64)))";
    assert_eq!(found(body).len(), 1);
}

#[test]
fn types_and_sizes_of_tensors_are_judged() {
    let tensors = "a = cute.make_rmem_tensor((4, 8), F32)\nb = cute.make_rmem_tensor((4, 4), F32)\n\
                   c = cute.make_rmem_tensor((4, 8), F16)\n";
    for (wrong, right, rule, says) in [
        (
            "cute.autovec_copy(a, b)",
            "cute.autovec_copy(a, a)",
            "copy-size",
            "32 elements",
        ),
        (
            "c.store(a.load())",
            "c.store(a.load().to(F16))",
            "store-type",
            "`Float32`",
        ),
        (
            "c.store(a.load())",
            "a.store(c.load())",
            "store-type",
            "`Float16`",
        ),
        (
            "r = cute.append(a.layout, 3)",
            "r = cute.append((4, 8), 3)",
            "argument-type",
            "not an integer",
        ),
        (
            "r = cute.prepend(a.layout, (3, 1))",
            "r = cute.prepend(a.layout)",
            "argument-type",
            "a tuple",
        ),
    ] {
        let (wrong, right) = (format!("{tensors}{wrong}"), format!("{tensors}{right}"));
        refused(&wrong, &right, rule, says);
    }
}

#[test]
fn an_index_beyond_a_tensor_is_told_and_one_beyond_coordinates_is_not() {
    let tensors =
        "a = cute.make_rmem_tensor(((2, 2), 8), F32)\nc = cute.make_identity_tensor((4, 8))\n";
    for (line, is_wrong) in [
        ("r = a[3, 7]", false),
        ("r = a[4, 7]", true),
        ("r = a[(1, 1), 7]", false),
        ("r = a[(1, 2), 7]", true),
        ("r = a[None, 8]", true),
        ("r = a[None, 7]", false),
        ("r = a[31]", false),
        ("r = a[32]", true),
        ("r = a[cutlass.Int32(40)]", false),
        ("r = c[4, 0]", false),
    ] {
        let rules: Vec<_> = found(&format!("{tensors}{line}"))
            .into_iter()
            .map(|it| (it.0, it.1))
            .collect();
        let expected = [("index-out-of-range", Severity::Warning)];
        assert_eq!(rules, if is_wrong { &expected[..] } else { &[] }, "{line}");
    }
    silent(&format!(
        "{tensors}k = 7\nif k < 7:\n    r = a[None, k + 1]"
    ));
    let beyond = found("r = cute.crd2idx((5, 9), cute.make_layout((4, 8)))");
    assert_eq!(
        (beyond[0].0, beyond[0].1),
        ("index-out-of-range", Severity::Information)
    );
    silent("r = cute.crd2idx((3, 7), cute.make_layout((4, 8)))");
}

#[test]
fn a_partition_beyond_its_tensor_is_told() {
    let part = |tensor: &str| {
        found(&format!(
            "tm = cute.make_tiled_mma(warp.MmaF16BF16Op(F16, F32, (16, 8, 16)), (2, 2, 1))\n\
             r = tm.get_slice(0).partition_C({tensor})"
        ))
    };
    let of_memory = part("cute.make_rmem_tensor((100, 60), F32)");
    assert_eq!(
        (of_memory[0].0, of_memory[0].1),
        ("over-covers", Severity::Warning)
    );
    let of_coordinates = part("cute.make_identity_tensor((100, 60))");
    assert_eq!(
        (of_coordinates[0].0, of_coordinates[0].1),
        ("over-covers", Severity::Information)
    );
    assert!(part("cute.make_rmem_tensor((128, 64), F32)").is_empty());
    assert!(part("cute.make_identity_tensor((cutlass.Int32(100), 64))").is_empty());
}

#[test]
fn messages_are_in_the_words_of_the_dsl() {
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let text = format!("{HEAD}    r = cute.make_layout((4, 8), stride=(1, 2, 3))\n");
    let findings = analysed(&text, &options).findings;
    assert_eq!(
        findings[0].message,
        "shape (4,8) and stride (1,2,3) are not congruent\nthe DSL: \"shape and stride must be congruent\""
    );
}

#[test]
fn a_tile_that_no_wide_swizzle_divides_is_told() {
    let of = |k: i64| {
        found(&format!(
            "import cutlass.utils as utils\nimport cutlass.utils.hopper_helpers as hopper\n\
             r = hopper.make_smem_layout_a(utils.LayoutEnum.ROW_MAJOR, (128, 128, {k}), F16, 4)"
        ))
    };
    for (k, says) in [
        (48, "rows of 96 bytes are swizzled by 32"),
        (80, "rows of 160"),
    ] {
        let findings = of(k);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(
            (findings[0].0, findings[0].1),
            ("narrow-swizzle", Severity::Information)
        );
        assert!(findings[0].2.contains(says), "{findings:?}");
    }
    // The modes of Blackwell's helpers are those of an MMA, not rows.
    silent(
        "import cutlass.utils.blackwell_helpers as blackwell\n\
         op = tcgen05.MmaF16BF16Op(F16, F32, (128, 128, 16), ONE, IN, tcgen05.OperandMajorMode.K, tcgen05.OperandMajorMode.K)\n\
         r = blackwell.make_smem_layout_a(cute.make_tiled_mma(op), (128, 128, 48), F16, 4)",
    );
    // 128, 64 and 32 bytes have a swizzle of this width.
    for k in [64, 128, 32, 16] {
        assert!(of(k).is_empty(), "{k}");
    }
}
