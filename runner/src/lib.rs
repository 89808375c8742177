//! Executes layout plans.
//!
//! **Knows** a plan (what is computed, where, and what is expected), its executors, and how an outcome compares with the
//! expectation.
//! **Must never know** editors or source text.
//!
//! A [`Plan`](plan::Plan) is one value for every executor. Today there is one, [`cpu`], which interprets the same address
//! program that is printed as PTX; so an agreement says that the program is the layout, on this machine and without a GPU.
//!
//! ```
//! use cute_runner::{compare, cpu, plan::Plan};
//! let plan = Plan::of_offsets(&"Sw<2,0,3> o 0 o (8,4):(1,8)".parse()?)?;
//! let offsets = cpu::offsets(&plan)?;
//! let comparison = compare::with_algebra(&plan, &offsets)?;
//! assert_eq!((comparison.compared, comparison.difference), (32, None));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![deny(unsafe_code)] // Only `cuda::driver`, the boundary to the driver's library, allows it.

pub mod banks;
pub mod child;
pub mod compare;
pub mod copy;
pub mod cpu;
pub mod cuda;
mod failure;
pub mod job;
mod numbers;
pub mod plan;
pub mod tma;

pub use failure::Failure;
