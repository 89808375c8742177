//! The operations of the layout algebra, one file each.

pub mod compact;
pub mod coshape;
