//! Running layouts on a machine: what can be asked, where it is performed, and what is said of the answer. The command line
//! and the server ask alike.

pub mod device;
pub mod history;
pub mod orders;
pub mod question;
pub mod report;
pub mod results;
pub mod words;
