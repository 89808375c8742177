//! A run in its own process: a kernel that hangs, or that leaves its context unusable, takes
//! nothing else with it.

use std::ffi::OsString;
use std::io::Read;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::failure::Failure;
use crate::watch::{Stop, Watch};

/// The time limit of a run, compilation by the driver included.
pub const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The interval at which the process is polled, and the watcher is told.
const POLL: Duration = Duration::from_millis(5);

/// The output of a process, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Printed {
    /// Its standard output.
    pub output: String,
    /// Its standard error.
    pub errors: String,
    /// Its exit code.
    pub code: i32,
}

/// Runs this very program with other arguments, for at most `limit`, and as long as the watch lets it.
///
/// # Errors
/// The process could not be started, did not end in time, was ended by the watch, or killed by a signal.
pub fn run(arguments: &[OsString], limit: Duration, watch: &dyn Watch) -> Result<Printed, Failure> {
    let program = std::env::current_exe().map_err(|error| crashed(&error))?;
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| crashed(&error))?;
    // Both pipes are read while it runs, so that it never waits for a reader.
    let output = reader(child.stdout.take());
    let errors = reader(child.stderr.take());
    let code = wait(&mut child, limit, watch);
    let (output, errors) = (
        output.join().unwrap_or_default(),
        errors.join().unwrap_or_default(),
    );
    match code? {
        Some(code) => Ok(Printed {
            output,
            errors,
            code,
        }),
        None => Err(Failure::Crashed(format!("a signal ended it; {errors}"))),
    }
}

fn wait(child: &mut Child, limit: Duration, watch: &dyn Watch) -> Result<Option<i32>, Failure> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) => return Ok(status.code()),
            Ok(None) if start.elapsed() < limit => {
                if let Err(reason) = watch.look(start.elapsed().as_secs(), limit.as_secs()) {
                    stop(child);
                    return Err(match reason {
                        Stop::TimedOut(seconds) => Failure::TimedOut(seconds),
                        Stop::Cancelled | Stop::Refused(_) => Failure::Cancelled,
                    });
                }
                thread::sleep(POLL);
            }
            Ok(None) => {
                stop(child);
                return Err(Failure::TimedOut(limit.as_secs()));
            }
            Err(error) => {
                stop(child);
                return Err(crashed(&error));
            }
        }
    }
}

/// Kills the process; one that has ended meanwhile needs no more.
fn stop(child: &mut Child) {
    if child.kill().is_ok() {
        let _ = child.wait();
    }
}

fn reader(pipe: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if let Some(mut pipe) = pipe {
            // The output before an error is kept.
            let _ = pipe.read_to_end(&mut bytes);
        }
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

fn crashed(error: &std::io::Error) -> Failure {
    Failure::Crashed(error.to_string())
}
