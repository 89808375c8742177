//! Running layouts on a machine: the questions, the devices, and the reports on answers. The command line and the
//! server ask alike.

pub mod device;
pub mod history;
pub mod orders;
pub mod question;
pub mod report;
pub mod results;
pub mod words;
