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
