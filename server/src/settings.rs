//! How a server is started, and with which code it ends.

use cute_analysis::Assumption;

use crate::project::Flags;

/// The exit code when the client stops listening or nothing can be started.
pub const FAILED: u8 = 1;

/// How a server is started.
#[derive(Debug, Clone, Default)]
pub struct Settings {
    /// Facts about symbols given when the server was started, besides those of the configuration.
    pub assume: Vec<Assumption>,
    /// Folders of included files and macros given when the server was started.
    pub flags: Flags,
    /// Whether commands exist that provoke faults, for tests.
    pub faults: bool,
}

impl Settings {
    /// The environment variable that turns the fault commands on.
    pub const FAULTS_VARIABLE: &'static str = "CUTE_ANALYZER_TEST_FAULTS";

    /// These facts and flags, and what the environment says.
    pub fn from_environment(assume: Vec<Assumption>, flags: Flags) -> Self {
        Self {
            assume,
            flags,
            faults: std::env::var_os(Self::FAULTS_VARIABLE).is_some_and(|value| value == "1"),
        }
    }
}
