//! Projects of several files that are edited at random, saved, renamed and changed on disk: what is shown is what a server
//! shows that was just started. `cargo xtask drift` does the same ten thousand times.

use std::path::Path;

use cute_tests::drift::{Outcome, Plan, drift, projects};

/// Operations of all projects together.
const EDITS: usize = 500;

/// After how many operations all is compared.
const EVERY: usize = 10;

#[test]
fn edited_projects_show_what_a_fresh_server_shows() {
    let projects = projects();
    assert!(projects.len() >= 10);
    let binary = Path::new(env!("CARGO_BIN_EXE_cute-analyzer"));
    let mut all = Outcome::default();
    for (number, project) in projects.iter().enumerate() {
        let plan = Plan {
            edits: EDITS.div_ceil(projects.len()),
            every: EVERY,
            seed: 1 + number as u64,
            minimises: false,
        };
        let outcome = drift(binary, project, plan);
        assert!(outcome.hints > 0, "{} shows no hint", project.name);
        all.add(outcome);
    }
    assert!(
        all.differences.is_empty(),
        "{}",
        all.differences.join("\n\n")
    );
}
