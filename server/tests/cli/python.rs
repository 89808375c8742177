//! Python sources through the command line.

use crate::ask::ask;

#[test]
fn the_hints_of_the_examples() {
    let hints = |file| ask(&["hints", file]).ends_with(0).stdout;
    insta::assert_snapshot!("hints_elementwise", hints("examples/python/elementwise.py"));
    insta::assert_snapshot!("hints_smem_tile", hints("examples/python/smem_tile.py"));
}

#[test]
fn a_wrong_composition_is_found_with_its_coordinate_and_a_remedy() {
    let answer = ask(&["check", "examples/python"]).ends_with(1);
    insta::assert_snapshot!("check_python", answer.stdout);
}
