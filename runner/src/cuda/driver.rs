//! The functions of the driver's library, each behind one safe or clearly bounded call
//! (CUDA Driver API; `cuda.h`).
#![allow(unsafe_code)] // The boundary to the driver: every block states its requirements.

mod context;
mod event;
mod library;
mod memory;
mod module;
mod tensor_map;

pub(super) use context::{Context, DeviceAttribute};
pub(super) use library::Driver;
pub(super) use memory::Memory;
pub(super) use module::{Module, Parameter};
pub(super) use tensor_map::EncodedMap;
