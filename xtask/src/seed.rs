//! The seed of the property tests and the random programs of a run.
//!
//! The seed is drawn from the tree that is tested: a commit that passes here passes elsewhere too, and every other one
//! is tried with other examples.

use crate::command::{output, program};
use crate::place::Checkout;

/// The variable from which proptest reads its seed.
const VARIABLE: &str = "PROPTEST_RNG_SEED";

/// The variable with the seed of this tree; `None` where the caller has set one, and where git does not know the tree.
pub(crate) fn of_tree(place: &Checkout) -> Option<(&'static str, String)> {
    if std::env::var_os(VARIABLE).is_some() {
        return None;
    }
    let seed = number_of_tree(place)?.to_string();
    println!("property tests begin at the seed of this tree: {VARIABLE}={seed}");
    Some((VARIABLE, seed))
}

/// The seed of this tree; `None` where git does not know it.
pub(crate) fn number_of_tree(place: &Checkout) -> Option<u64> {
    let tree = output(program(place, "git").args(["rev-parse", "HEAD^{tree}"])).ok()?;
    first_digits(&tree)
}

/// The first 64 bits of a hash.
fn first_digits(hash: &str) -> Option<u64> {
    u64::from_str_radix(hash.get(..16)?, 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_gives_a_seed_and_other_text_none() {
        assert_eq!(
            first_digits("00000000000000ff0000"),
            Some(255),
            "of 64 bits"
        );
        assert_eq!(first_digits("00ff"), None);
        assert_eq!(first_digits("fatal: not a git repository"), None);
    }
}
