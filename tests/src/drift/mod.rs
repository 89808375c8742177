//! Edited equals fresh, in projects of several files: random edits, undo, files that are opened, closed, saved, made,
//! removed, renamed and changed on disk; at rest a server that saw all of it shows what one shows that was just started.
//!
//! The steps are a list of [`Operation`]s that can be repeated, so that a difference can be made small.

mod made;
mod operation;
mod session;
mod shown;

use std::path::Path;

pub use made::{Project, projects};
pub use operation::Operation;

use crate::random::Random;
use session::Session;

/// Number of attempts to reproduce a difference with fewer operations.
const REPLAYS: usize = 80;

/// Operations of a difference that are printed.
const PRINTED: usize = 60;

/// The plan of a run.
#[derive(Debug, Clone, Copy)]
pub struct Plan {
    /// Operations.
    pub edits: usize,
    /// After how many of them all is compared.
    pub every: usize,
    /// The seed of the random numbers.
    pub seed: u64,
    /// Whether a difference is made small.
    pub minimises: bool,
}

/// The outcome.
#[derive(Debug, Clone, Default)]
pub struct Outcome {
    /// Operations that were done.
    pub edits: usize,
    /// Number of comparisons of all.
    pub compares: usize,
    /// Hints that were compared: without any the compares would say nothing.
    pub hints: usize,
    /// The differences, each with the operations before.
    pub differences: Vec<String>,
}

impl Outcome {
    /// Adds another outcome.
    pub fn add(&mut self, other: Self) {
        self.edits += other.edits;
        self.compares += other.compares;
        self.hints += other.hints;
        self.differences.extend(other.differences);
    }
}

/// The `languageId` of a file that has one, by its name.
pub fn language_of(path: &str) -> Option<&'static str> {
    match Path::new(path).extension()?.to_str()? {
        "cu" | "cuh" | "h" | "hpp" | "inl" | "cc" | "cpp" => Some("cuda-cpp"),
        "py" => Some("python"),
        "rs" => Some("rust"),
        _ => None,
    }
}

/// Edits a project at random and compares. After a difference all begins anew, with the numbers that follow.
pub fn drift(binary: &Path, project: &Project, plan: Plan) -> Outcome {
    let mut random = Random::new(plan.seed);
    let mut outcome = Outcome::default();
    let mut session = Session::start(binary, project);
    let mut done: Vec<Operation> = Vec::new();
    while outcome.edits < plan.edits {
        for _ in 0..plan.every {
            let operation = session.random_operation(&mut random);
            session.perform(&operation);
            done.push(operation);
            outcome.edits += 1;
        }
        outcome.compares += 1;
        let compared = session.compare(outcome.compares as u64);
        outcome.hints += compared.hints;
        let Some(difference) = compared.difference else {
            continue;
        };
        let small = if plan.minimises {
            minimised(binary, project, &done, plan.every)
        } else {
            done.clone()
        };
        let said = report(project, plan.seed, &done, &small, &difference);
        outcome.differences.push(said);
        session = Session::start(binary, project);
        done.clear();
    }
    outcome
}

/// Does these operations in a new session and compares after each `every` of them, as the run did, since a compare
/// asks; the first differences.
pub fn replay(
    binary: &Path,
    project: &Project,
    operations: &[Operation],
    every: usize,
) -> Option<String> {
    let mut session = Session::start(binary, project);
    for (number, some) in operations.chunks(every).enumerate() {
        for operation in some {
            session.perform(operation);
        }
        let compared = session.compare(number as u64 + 1);
        if compared.difference.is_some() {
            return compared.difference;
        }
    }
    None
}

/// Fewer operations after which something still differs: halves, quarters, and so on are left out.
fn minimised(binary: &Path, project: &Project, done: &[Operation], every: usize) -> Vec<Operation> {
    let mut kept = done.to_vec();
    let (mut pieces, mut replays) = (2, 0);
    while kept.len() > 1 && replays < REPLAYS {
        let size = kept.len().div_ceil(pieces);
        let mut shorter = None;
        for start in (0..kept.len()).step_by(size).rev() {
            let mut without = kept.clone();
            without.drain(start..(start + size).min(kept.len()));
            replays += 1;
            if replays > REPLAYS {
                break;
            }
            if replay(binary, project, &without, every).is_some() {
                shorter = Some(without);
                break;
            }
        }
        match shorter {
            Some(without) => {
                kept = without;
                pieces = (pieces - 1).max(2);
            }
            None if size == 1 => break,
            None => pieces = (pieces * 2).min(kept.len()),
        }
    }
    kept
}

fn report(
    project: &Project,
    seed: u64,
    done: &[Operation],
    small: &[Operation],
    difference: &str,
) -> String {
    let skipped = small.len().saturating_sub(PRINTED);
    let operations: Vec<String> = small
        .iter()
        .skip(skipped)
        .map(|it| format!("{it:?}"))
        .collect();
    format!(
        "{}, seed {seed}: {difference}\nafter {} operations, of which {} are enough; the last of them:\n{}",
        project.name,
        done.len(),
        small.len(),
        operations.join("\n")
    )
}
