//! Operations that CuTe has no function for.

use cute_algebra::{Checked, Reading, Rule};
use cute_analysis::ask::ask;

use crate::answers;

#[test]
fn what_cute_has_no_function_for_is_asked_by_name() {
    for (op, args, wanted) in [
        (
            "concatenate",
            vec!["4:1", "(2,2):(4,8)"],
            "(4,(2,2)):(1,(4,8))",
        ),
        (
            "unflatten",
            vec!["(2,3,4):(1,2,6)", "((x,x),x)"],
            "((2,3),4):((1,2),6)",
        ),
        (
            "hier_unzip",
            vec!["logical_divide", "(8,32):(32,1)", "(2,_)"],
            "((2,1),(4,32)):((32,0),(64,1))",
        ),
        ("common_domain", vec!["(6,4)", "(2,12)"], "(2,3,4)"),
        ("common_coarsening", vec!["(6,4)", "(2,12)"], "24"),
        (
            "common_refinement",
            vec!["(6,(2,2))", "((3,2),4)"],
            "((3,2),(2,2))",
        ),
        ("coordinates", vec!["(2,2)"], "((0,0),(1,0),(0,1),(1,1))"),
        ("injective", vec!["(4,8):(8,1)"], "1"),
        ("injective", vec!["(4,8):(1,2)"], "0"),
        ("contiguous", vec!["(4,8):(1,2)"], "1"),
        ("compact", vec!["(4,8):(1,2)"], "0"),
        ("surjective", vec!["(4,8):(1,2)", "18"], "1"),
        ("surjective", vec!["(4,8):(1,2)", "19"], "0"),
        ("bijective", vec!["(4,8):(8,1)"], "1"),
        ("bijective", vec!["(4,8):(8,1)", "31"], "0"),
        ("image", vec!["(4,8):(8,2)"], "20:2"),
        ("full_inverse", vec!["(4,8):(8,1)"], "(8,4):(4,1)"),
        ("weakly_admissible", vec!["(4,8):(8,1)", "(8,2):(1,0)"], "1"),
        (
            "exactly_admissible",
            vec!["(4,8):(8,1)", "(8,2):(1,0)"],
            "0",
        ),
        ("exactly_admissible", vec!["(4,8):(8,1)", "8:2"], "1"),
    ] {
        answers(op, &args, wanted);
    }
    let huge = ask("coordinates", &["(1048576,1048576)"], Reading::Plain);
    assert_eq!(huge.result.unwrap_err().rule, Rule::Limit);
    let large = "(1048576,1048576):(1,1048576)";
    let answer = ask("bijective", &[large], Reading::Plain);
    assert_eq!(answer.judgement.checked, Checked::ByTheorem);
}
