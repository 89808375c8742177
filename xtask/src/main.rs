//! Project tasks, run as `cargo xtask TASK`.
fn main() {}
