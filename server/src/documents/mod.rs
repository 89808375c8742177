//! The documents that the editor has open.
//!
//! Only the dispatcher changes texts here, in the order in which messages arrive. Everyone else holds an
//! [`Open`]: all documents as they were at one moment. It never changes, so a request answers for
//! the text that its positions were made for, however many edits come while it is computed.

mod analysed;
mod document;
mod early;
mod store;
mod whole;

pub use analysed::{Analysed, Earlier, Slot, Source};
pub use document::{Document, OutOfSync, Sync, path_of};
pub use early::{Early, LookedAt, Said, ShownIn};
pub use store::{Documents, Open};
pub use whole::Whole;
