//! One file per method of the protocol: parameters converted, the question asked, the answer
//! converted.

mod configuration;
pub mod did_change;
pub mod did_change_configuration;
pub mod did_close;
pub mod did_open;
pub mod execute_command;
pub mod initialize;
pub mod initialized;
