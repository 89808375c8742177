//! Order, threads and grids in kernels of the DSL: the rules that kernels of C++ have.

use super::support::analysed;
use cute_analysis::{Options, Severity};
use tree_sitter_cute::Host;

const MULTISTAGE: &str = include_str!("multistage.py");
const TRANSPOSE: &str = include_str!("transpose.py");

/// Rules and first lines of the findings about a text with some pieces replaced.
fn found(text: &str, changes: &[(&str, &str)]) -> Vec<String> {
    let mut text = text.to_owned();
    for (from, to) in changes {
        assert!(text.contains(from), "{from}");
        text = text.replacen(from, to, 1);
    }
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let findings = analysed(&text, &options).findings.into_iter();
    let told = findings.filter(|finding| finding.severity != Severity::Information);
    told.map(|finding| {
        let first = finding.message.lines().next().unwrap_or_default();
        format!("{}: {first}", finding.rule)
    })
    .collect()
}

/// Whether one of the findings after a change is this one, and none is there without it.
fn says(text: &str, change: (&str, &str), wanted: &str) {
    let all = found(text, &[change]);
    assert!(all.iter().any(|it| it == wanted), "{change:?}: {all:#?}");
}

#[test]
fn right_kernels_have_no_findings() {
    for text in [MULTISTAGE, TRANSPOSE] {
        assert_eq!(found(text, &[]), Vec::<String>::new());
    }
}
