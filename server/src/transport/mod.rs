//! Bytes to messages and back: the layer between standard input and output and the dispatcher.

pub mod frame;
pub mod message;
pub mod outgoing;
mod surrogates;
