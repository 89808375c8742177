//! `record -- COMMAND`: runs the user's program, and keeps the values of the names of its kernels.
//!
//! The only place that starts a program of the user's, and only as its arguments say.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::output::{Outcome, complain};
use crate::presentation::recorded::origin;
use crate::recorded::{FOLDER, HOOK, HOOK_NAME, Recording, newest};

/// The settings with which the DSL compiles kernels that are in its caches.
const BYPASS: &str = "CUTE_DSL_NO_CACHE=1 CUTE_DSL_DISABLE_FILE_CACHING=1";

/// The most functions that are named as not traced.
const NAMED: usize = 8;

pub(super) fn run(command: &[OsString]) -> io::Result<Outcome> {
    let Some((program, arguments)) = command.split_first() else {
        return Ok(Outcome::Unusable);
    };
    let folder = std::env::current_dir()?.join(FOLDER);
    fs::create_dir_all(&folder)?;
    // Nothing of a run belongs into a repository.
    fs::write(folder.join(".gitignore"), "*\n")?;
    let before: HashSet<_> = newest(&folder).into_iter().collect();
    let hook = Hook::install()?;
    let status = Command::new(program)
        .args(arguments)
        .env("PYTHONPATH", hook.first_on_path()?)
        .env("CUTE_ANALYZER_RECORD_TO", &folder)
        .env("CUTE_ANALYZER_RECORD_COMMAND", as_json(command)?)
        .status();
    drop(hook);
    let status = match status {
        Ok(status) => status,
        Err(error) => {
            complain(&format!("{}: {error}", program.display()));
            return Ok(Outcome::Unusable);
        }
    };
    let after = newest(&folder).into_iter();
    let written = after.filter(|file| !before.contains(file));
    let recorded = report(written.map(|(path, _)| path));
    if !status.success() {
        complain(&format!("the command ended with {status}"));
    }
    Ok(if status.success() && recorded {
        Outcome::Clean
    } else {
        Outcome::Found
    })
}

/// Reports the recorded values on standard error: standard output is the program's. Whether there is any.
fn report(written: impl Iterator<Item = PathBuf>) -> bool {
    let mut any = false;
    for path in written {
        match Recording::read(&path) {
            Ok(recording) => {
                any |= !recording.is_empty();
                say(&path, &recording);
            }
            Err(reason) => complain(&format!("{}: {reason}", path.display())),
        }
    }
    if !any {
        complain(&format!(
            "nothing was recorded: no function that uses the CuTe DSL was traced. Cached kernels \
             are not traced: {BYPASS} bypasses the caches of the DSL"
        ));
    }
    any
}

fn say(path: &Path, recording: &Recording) {
    let (count, sources) = (recording.len(), recording.paths().count());
    let origin = origin(recording);
    complain(&format!(
        "{}: {count} values of {sources} files, {origin}",
        path.display()
    ));
    if recording.left_out > 0 {
        complain(&format!(
            "{} values exceed the limits of a recording and were left out",
            recording.left_out
        ));
    }
    let untraced = recording.untraced.iter();
    for function in untraced.take(NAMED) {
        let source = recording.path_of(function).unwrap_or(Path::new(""));
        complain(&format!(
            "{}:{}: {} was not traced: it was not called, or its kernel was cached",
            source.display(),
            function.line,
            function.function
        ));
    }
    let more = recording.untraced.len().saturating_sub(NAMED);
    if more > 0 {
        complain(&format!("{more} more functions were not traced"));
    }
    if !recording.untraced.is_empty() {
        complain(&format!("{BYPASS} bypasses the caches of the DSL"));
    }
}

fn as_json(command: &[OsString]) -> io::Result<String> {
    let words: Vec<_> = command.iter().map(|word| word.to_string_lossy()).collect();
    Ok(serde_json::to_string(&words)?)
}

/// A folder with the hook, as long as the program runs.
struct Hook(PathBuf);

impl Hook {
    fn install() -> io::Result<Self> {
        let name = format!("cute-analyzer-record-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        // Fails where someone else made it.
        fs::create_dir(&folder)?;
        let hook = Self(folder);
        fs::write(hook.0.join(HOOK_NAME), HOOK)?;
        Ok(hook)
    }

    /// The value of `PYTHONPATH` with the hook first.
    fn first_on_path(&self) -> io::Result<OsString> {
        let path = std::env::var_os("PYTHONPATH").unwrap_or_default();
        let others =
            std::env::split_paths(&path).filter(|folder| folder.as_os_str() != OsStr::new(""));
        std::env::join_paths(std::iter::once(self.0.clone()).chain(others))
            .map_err(io::Error::other)
    }
}

impl Drop for Hook {
    fn drop(&mut self) {
        // Files that remain in the folder for temporary files do no harm.
        let _ = fs::remove_dir_all(&self.0);
    }
}
