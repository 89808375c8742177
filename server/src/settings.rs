//! The start options of a server, and its exit codes.

use std::time::Duration;

use cute_analysis::Assumption;

use crate::limits::HINTS_PATIENCE;
use crate::project::Flags;

/// The exit code when the client stops listening or nothing can be started.
pub const FAILED: u8 = 1;

/// The start options of a server.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Facts about symbols given when the server was started, besides those of the configuration.
    pub assume: Vec<Assumption>,
    /// Folders of included files and macros given when the server was started.
    pub flags: Flags,
    /// Whether commands exist that provoke faults, for tests.
    pub faults: bool,
    /// The time that a request for hints waits for those of the present text, where an earlier version has some.
    pub patience: Duration,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            assume: Vec::new(),
            flags: Flags::default(),
            faults: false,
            patience: HINTS_PATIENCE,
        }
    }
}

impl Settings {
    /// The environment variable that turns the fault commands on.
    pub const FAULTS_VARIABLE: &'static str = "CUTE_ANALYZER_TEST_FAULTS";

    /// The environment variable with another [`patience`](Self::patience), in milliseconds: an unoptimised build on a busy
    /// machine is not a measure.
    pub const PATIENCE_VARIABLE: &'static str = "CUTE_ANALYZER_TEST_PATIENCE";

    /// These facts and flags, and those of the environment.
    pub fn from_environment(assume: Vec<Assumption>, flags: Flags) -> Self {
        let variable = |name| std::env::var(name).ok();
        let patience = variable(Self::PATIENCE_VARIABLE).and_then(|value| value.parse().ok());
        Self {
            assume,
            flags,
            faults: variable(Self::FAULTS_VARIABLE).is_some_and(|value| value == "1"),
            patience: patience.map_or(HINTS_PATIENCE, Duration::from_millis),
        }
    }
}
