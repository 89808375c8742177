//! Executes layout plans.
//!
//! **Knows** a plan (a computation, its place and the expected result), its executors, and the comparison of an outcome
//! with the expectation.
//! **Must never know** editors or source text.
//!
//! An [`Experiment`](experiment::Experiment) is one value for every executor: the processor, which interprets the same address
//! programs that are printed as PTX and the models of the hardware, and a GPU ([`cuda`]), which runs its
//! [`Job`](job::Job)s. So an agreement says that the program is the layout, on this machine and without a GPU.
//!
//! | module | question |
//! |---|---|
//! | [`plan`] | are these the offsets of the layout? |
//! | [`copy`] | does every element arrive, and how fast? |
//! | [`banks`] | how many wavefronts does an access of shared memory take? |
//! | [`tma`] | where does TMA put the bytes of a tile, and does the driver encode our descriptor? |
//! | [`fragments`] | which lane has which element after `ldmatrix`, and where does `stmatrix` put it? |
//! | [`product`] | where do matrix descriptors lead `wgmma` and `tcgen05.mma`? |
//! | [`gemm`] | is `C(m,n) += A(m,k) * B(n,k)` right for these layouts? |
//!
//! ```
//! use cute_runner::{compare, cpu, plan::Plan, watch::Unwatched};
//! let plan = Plan::of_offsets(&"Sw<2,0,3> o 0 o (8,4):(1,8)".parse()?)?;
//! let offsets = cpu::offsets(&plan, &Unwatched)?;
//! let comparison = compare::with_algebra(&plan, &offsets, &Unwatched)?;
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
pub mod experiment;
mod failure;
pub mod fragments;
pub mod gemm;
pub mod job;
mod numbers;
pub mod plan;
pub mod product;
mod random;
mod stored;
pub mod table;
mod tile;
pub mod tma;
pub mod watch;

pub use failure::Failure;
