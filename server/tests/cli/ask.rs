//! Runs the binary with a time limit.

use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// No question of these tests takes nearly as long; a hang fails instead of blocking the run.
const PATIENCE: Duration = Duration::from_secs(120);

/// The answer of the binary.
pub(crate) struct Answer {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Answer {
    /// Checks the exit code, and that nothing panicked.
    #[track_caller]
    pub(crate) fn ends_with(self, code: i32) -> Self {
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        assert_eq!(
            self.code,
            Some(code),
            "stdout:\n{}\nstderr:\n{}",
            self.stdout,
            self.stderr
        );
        self
    }
}

/// The root of the repository, where the command lines of the documentation are meant to be run.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// Runs `cute-analyzer ARGUMENTS` in the root of the repository.
#[track_caller]
pub(crate) fn ask<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Answer {
    ask_with(arguments, b"")
}

/// Runs it with this on standard input.
#[track_caller]
pub(crate) fn ask_with<A: AsRef<std::ffi::OsStr>>(arguments: &[A], input: &[u8]) -> Answer {
    let mut child = command(arguments).stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    let mut stderr = child.stderr.take().unwrap();
    let input = input.to_vec();
    // A child that stops reading is its own affair.
    let writer = thread::spawn(move || drop(stdin.write_all(&input)));
    let out = thread::spawn(move || {
        let mut bytes = Vec::new();
        stdout.read_to_end(&mut bytes).unwrap();
        String::from_utf8(bytes).expect("the answer is UTF-8")
    });
    let err = thread::spawn(move || {
        let mut bytes = Vec::new();
        stderr.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    });
    let code = wait(&mut child);
    writer.join().unwrap();
    Answer {
        code,
        stdout: out.join().unwrap(),
        stderr: err.join().unwrap(),
    }
}

/// The command, with output captured and nothing of the caller's environment that changes it.
pub(crate) fn command<A: AsRef<std::ffi::OsStr>>(arguments: &[A]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_cute-analyzer"));
    command
        .args(arguments)
        .current_dir(root())
        .env_remove("CLICOLOR_FORCE")
        .env_remove("RUST_BACKTRACE")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// The exit code; a child that does not end in time is killed and fails the test.
#[track_caller]
pub(crate) fn wait(child: &mut Child) -> Option<i32> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        if started.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("no end after {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(5));
    }
}
