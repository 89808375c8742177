//! Operations by name on textual operands: `eval --stdin`, and the derivations of `explain`.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may panic"
)]

#[path = "../../algebra/tests/generators/mod.rs"]
mod generators;
#[path = "../../hardware/tests/golden/mod.rs"]
mod golden;
#[path = "../../algebra/tests/notation/mod.rs"]
mod notation;

#[path = "asked/beyond.rs"]
mod beyond;
#[path = "asked/derivations.rs"]
mod derivations;
#[path = "asked/hardware.rs"]
mod hardware;
#[path = "asked/headers.rs"]
mod headers;
#[path = "asked/operations.rs"]
mod operations;
#[path = "asked/page.rs"]
mod page;
#[path = "asked/peers.rs"]
mod peers;
#[path = "asked/rows.rs"]
mod rows;
#[path = "asked/tensors.rs"]
mod tensors;

use cute_algebra::Reading;
use cute_analysis::ask::{Answer, ask};

/// The answer to a question, whose text is `wanted`.
fn answers(op: &str, args: &[&str], wanted: &str) -> Answer {
    let answer = ask(op, args, Reading::Plain);
    assert_eq!(
        answer.text().as_deref(),
        Some(wanted),
        "{op} {args:?}: {:?}",
        answer.result
    );
    answer
}
