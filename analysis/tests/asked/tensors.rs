//! Operations on tensors: the layout answers, and the accessor stays or moves.

use cute_algebra::{Reading, Rule};
use cute_analysis::ask::ask;

use crate::answers;

#[test]
fn tensors_are_asked_by_name() {
    for (op, args, wanted) in [
        (
            "layout",
            vec!["gmem_ptr[16b](0x7f00) o (4,8):(8,1)"],
            "gmem_ptr[16b](PTR) o (4,8):(8,1)",
        ),
        (
            "slice",
            vec!["(2,_)", "{0} o (4,8):(8,1)"],
            "counting_iter(16) o (8):(1)",
        ),
        (
            "slice",
            vec!["{0} o (4,8):(8,1)", "(2,_)"],
            "counting_iter(16) o (8):(1)",
        ),
        (
            "zipped_divide",
            vec!["gmem_ptr[16b](PTR) o (8,32):(32,1)", "(2,2)"],
            "gmem_ptr[16b](PTR) o ((2,2),(4,16)):((32,1),(64,2))",
        ),
        ("size", vec!["gmem_ptr[16b](PTR) o (8,32):(32,1)"], "256"),
        (
            "eval",
            vec!["gmem_ptr[16b](PTR+3) o (8,32):(32,1)", "(1,1)"],
            "36",
        ),
    ] {
        answers(op, &args, wanted);
    }
    assert_eq!(
        ask("complement", &["{0} o 4:1"], Reading::Plain)
            .result
            .unwrap_err()
            .rule,
        Rule::Unsupported
    );
}
