//! A thousand wrong programs in three languages: every remedy removes its finding and brings no other,
//! and wherever a legal tiler exists there is one.

use cute_analysis::{Finding, Options};
use proptest::prelude::*;
use tree_sitter_cute::Host;

use super::applied;
use crate::support::analysed;

/// A program with something that may be wrong.
#[derive(Debug, Clone)]
struct Program {
    host: Host,
    text: String,
    /// It divides by a tiler for each mode, or by one over all: a legal tiler exists.
    divides: bool,
}

/// The numbers of a program.
#[derive(Debug, Clone)]
struct Numbers {
    rows: i64,
    columns: i64,
    tall: i64,
    wide: i64,
    extent: i64,
    step: i64,
}

fn numbers() -> impl Strategy<Value = Numbers> {
    let extent = || 2_i64..40;
    let small = || 2_i64..12;
    (extent(), extent(), extent(), extent(), small(), small()).prop_map(
        |(rows, columns, tall, wide, extent, step)| Numbers {
            rows,
            columns,
            tall,
            wide,
            extent,
            step,
        },
    )
}

/// The divisions.
const DIVIDES: [&str; 4] = [
    "logical_divide",
    "zipped_divide",
    "tiled_divide",
    "flat_divide",
];

fn program() -> impl Strategy<Value = Program> {
    (numbers(), 0..12_usize, 0..DIVIDES.len()).prop_map(|(n, form, divide)| {
        let divide = DIVIDES[divide];
        match form {
            0..=6 => in_cuda(&n, form, divide),
            7..=9 => in_rust(&n, form - 7, divide),
            _ => in_python(&n, form - 10, divide),
        }
    })
}

fn in_cuda(n: &Numbers, form: usize, divide: &str) -> Program {
    let Numbers {
        rows,
        columns,
        tall,
        wide,
        extent,
        step,
    } = n;
    let matrix = format!("make_layout(make_shape(Int<{rows}>{{}}, _{columns}{{}}))");
    let row_major = format!("Layout<Shape<_{rows}, _{columns}>, Stride<_{columns}, _1>>{{}}");
    let statement = match form {
        0 => format!("auto r = {divide}({matrix}, make_tile(Int<{tall}>{{}}, Int<{wide}>{{}}));"),
        1 => format!("auto r = composition({row_major}, Layout<_{extent}, _{step}>{{}});"),
        2 => format!("auto r = {divide}(Layout<_{rows}>{{}}, _{tall}{{}});"),
        3 => format!("auto r = {divide}({row_major}, Int<{tall}>{{}});"),
        4 => format!(
            "Tensor m = make_tensor(make_gmem_ptr(p), {matrix});\n  \
             Tensor r = local_tile(m, Shape<_{tall}, _{wide}>{{}}, make_coord(0, 0));"
        ),
        5 => format!(
            "auto a = Layout<Shape<_{rows}, _{extent}>, Stride<_1, _{step}>>{{}};\n  \
             auto r = composition(a, Layout<Shape<_{tall}, _2>, Stride<_2, _{step}>>{{}});"
        ),
        _ => format!(
            "auto r = complement(Layout<Shape<_{rows}, _{extent}>, Stride<_1, _{step}>>{{}}, _4096{{}});"
        ),
    };
    Program {
        host: Host::CudaCpp,
        text: format!("using namespace cute;\nvoid f(float* p) {{\n  {statement}\n}}\n"),
        divides: matches!(form, 0 | 2 | 3 | 4),
    }
}

fn in_rust(n: &Numbers, form: usize, divide: &str) -> Program {
    let Numbers {
        rows,
        columns,
        tall,
        wide,
        extent,
        step,
    } = n;
    let row_major = format!("layout!(({rows}, {columns}):({columns}, 1))");
    let value = match form {
        0 => format!("{divide}(&{row_major}, &tiler!(<{tall}, {wide}>))"),
        1 => format!("{divide}(&{row_major}, &tiler!({tall}))"),
        _ => format!("composition(&{row_major}, &layout!({extent}:{step}))"),
    };
    Program {
        host: Host::Rust,
        text: format!(
            "use cute_algebra::{{layout, ops::{{composition, {divide}}}, tiler}};\n\
             fn f() {{ let r = {value}; }}\n"
        ),
        divides: form < 2,
    }
}

fn in_python(n: &Numbers, form: usize, divide: &str) -> Program {
    let Numbers {
        rows,
        columns,
        tall,
        wide,
        ..
    } = n;
    let row_major = format!("cute.make_layout(({rows}, {columns}), stride=({columns}, 1))");
    let tiler = match form {
        0 => format!("({tall}, {wide})"),
        _ => tall.to_string(),
    };
    Program {
        host: Host::Python,
        text: format!(
            "import cutlass.cute as cute\n@cute.jit\ndef f():\n    r = cute.{divide}({row_major}, {tiler})\n"
        ),
        divides: true,
    }
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1_000,
        max_global_rejects: 20_000,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Those that are right by chance do not count.
    #[test]
    fn every_remedy_holds_what_it_promises(program in program()) {
        let Program { host, text, divides } = program;
        let options = Options { host, ..Options::default() };
        let before = analysed(&text, &options);
        prop_assume!(!before.findings.is_empty());
        let plain = Options { remedies: false, ..options };
        for finding in &before.findings {
            for remedy in &finding.remedies {
                let edited = applied(&text, &remedy.edits);
                prop_assert_ne!(&edited, &text);
                let after = analysed(&edited, &plain);
                let rules = |findings: &[Finding]| findings.iter().map(|f| f.rule).collect::<Vec<_>>();
                prop_assert!(
                    !rules(&after.findings).contains(&finding.rule),
                    "{}: {:?}", edited, rules(&after.findings)
                );
                prop_assert!(after.findings.len() < before.findings.len());
                // Something is still divided, by more than one.
                prop_assert!(after.facts.iter().any(|fact| &*fact.name == "r" && fact.reason().is_none()));
            }
            let preferred = finding.remedies.iter().filter(|remedy| remedy.preferred).count();
            prop_assert_eq!(preferred, usize::from(!finding.remedies.is_empty()));
            if divides || !finding.legal.is_empty() {
                prop_assert!(!finding.remedies.is_empty(), "{}: {}", text, finding.message);
            }
        }
    }
}
