//! Numbers of declarations in a program.

/// Index of a module in [`Program::modules`]; 0 is the file itself.
pub(super) type ModuleId = usize;

/// Index of a function in [`Program::functions`].
pub(super) type FunctionId = usize;

/// Index of a record in [`Program::records`].
pub(super) type RecordId = usize;
