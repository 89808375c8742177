//! Programs that g++ compiles and this machine runs, to know the results of random sources.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

/// The result of g++ for a text.
pub(crate) enum Built {
    /// A program.
    Program(PathBuf),
    /// The error messages.
    Refused(String),
}

/// Compiles a text with other files of the program; the source and the program are called by a name in a folder.
pub(crate) fn build(folder: &Path, name: &str, text: &str, linked: &[PathBuf]) -> Result<Built> {
    let source = folder.join(format!("{name}-truth.cpp"));
    let binary = folder.join(format!("{name}-truth"));
    std::fs::write(&source, text).context("writing the source of the truth")?;
    let built = Command::new("g++")
        .args(["-std=c++20", "-w", "-O0", "-o"])
        .args([&binary, &source])
        .args(linked)
        .stdin(Stdio::null())
        .output()
        .context("cannot start g++ (is it installed?)")?;
    Ok(if built.status.success() {
        Built::Program(binary)
    } else {
        Built::Refused(String::from_utf8_lossy(&built.stderr).into_owned())
    })
}

/// The output of a program.
pub(crate) fn printed(program: &Path) -> Result<String> {
    let run = Command::new(program)
        .stdin(Stdio::null())
        .output()
        .with_context(|| format!("cannot start {}", program.display()))?;
    Ok(String::from_utf8_lossy(&run.stdout).into_owned())
}

/// The results of `judge` for each batch, in order. Two at a time: a compiler and the tool take a second each.
pub(crate) fn in_pairs<T: Sync, J: Send>(
    batches: &[&[T]],
    judge: impl Fn(&[T], &str) -> Result<J> + Sync,
) -> Result<Vec<J>> {
    let mut judged = Vec::new();
    for (pair, batches) in batches.chunks(2).enumerate() {
        let both: Vec<Result<J>> = std::thread::scope(|scope| {
            let threads: Vec<_> = batches
                .iter()
                .enumerate()
                .map(|(index, batch)| {
                    let (judge, name) = (&judge, format!("batch-{}", 2 * pair + index));
                    scope.spawn(move || judge(batch, &name))
                })
                .collect();
            let joined = threads.into_iter().map(|thread| match thread.join() {
                Ok(judged) => judged,
                Err(panic) => std::panic::resume_unwind(panic),
            });
            joined.collect()
        });
        for one in both {
            judged.push(one?);
        }
    }
    Ok(judged)
}
