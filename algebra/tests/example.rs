//! The example in Rust compiles, and says what its comments say.

#[allow(dead_code, unreachable_pub)]
#[path = "../../examples/rust/algebra.rs"]
mod example;

#[test]
fn the_example_runs() -> Result<(), cute_algebra::Refusal> {
    assert_eq!(
        example::tiles()?.to_string(),
        "((_8,_4),(_8,_8)):((_32,_1),(_256,_4))"
    );
    assert_eq!(example::bits()?.to_string(), "Sw<3,4,3>");
    Ok(())
}
