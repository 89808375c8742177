//! End-to-end tests live in `tests/tests` and `server/tests`; this library holds their common parts.
#![forbid(unsafe_code)]
// A library of checks: a failed one is a panic, which is how a test fails.
#![allow(clippy::panic, clippy::expect_used, reason = "a failed check panics")]
#![allow(
    clippy::missing_panics_doc,
    reason = "every check panics when it fails"
)]
#![allow(
    clippy::needless_pass_by_value,
    reason = "calls read better with `json!(..)` in them"
)]

pub mod binary;
pub mod client;
pub mod drift;
pub mod files;
pub mod keys;
pub mod latency;
pub mod load;
pub mod oracles;
pub mod page;
pub mod protocol;
pub mod ptxas;
pub mod random;
pub mod record;
pub mod stand_in;
pub mod streams;
pub mod typing;
