//! Values that names had while the user's own Python program ran, as `cute-analyzer record` wrote them.
//!
//! **Knows** the files of recordings, where their rows are in a text of now, and whether a row agrees with the
//! evaluated values. Their presentation is not its task.

mod agreement;
mod checksum;
mod file;
mod folder;
mod placed;

pub use agreement::agrees;
pub use file::{Recording, Role, Untraced};
pub use folder::{FOLDER, Recordings, is_recording, newest};
pub use placed::{Placed, placed};

/// The hook that Python runs before the user's program; Python imports it under [`HOOK_NAME`].
pub const HOOK: &str = include_str!("recorded/hook.py");

/// The file as which Python finds the hook.
pub const HOOK_NAME: &str = "sitecustomize.py";
