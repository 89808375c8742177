//! The result of CUTLASS 4.2 for a request for a dense GEMM: the rules of `CollectiveBuilder` for the mainloop and the
//! epilogue, and of `GemmUniversal` for the kernel, on SM90 and SM100.
//!
//! A request says element types, memory orders, tile, cluster, a schedule and a stage count, each of which may be left
//! to the builder. The result is that of the compiler: the schedule that `Auto` means, the stages that fit, the tiled
//! MMA, the layouts of shared memory, the TMA operations, and the bytes of every part. The builder counts stages before
//! it knows the kernel, so its choice can be more than the shared memory of a CTA; [`GemmKernel::fits`] says so.
//!
//! ```
//! use cute_hardware::Element;
//! use cute_hardware::collective::{
//!     KernelSchedule, Mainloop, MainloopRequest, MemoryOrder, OperandRequest, StageCount, Target,
//! };
//! let operand = |order| OperandRequest { element: Element::F16, order, alignment: 8 };
//! let mainloop = Mainloop::build(&MainloopRequest {
//!     target: Target::Sm90,
//!     a: operand(MemoryOrder::Row),
//!     b: operand(MemoryOrder::Column),
//!     accumulator: Element::F32,
//!     tile: [128, 128, 64],
//!     cluster: Some([2, 1, 1]),
//!     stages: StageCount::Auto { carveout: 0 },
//!     schedule: KernelSchedule::Auto,
//!     extended_shapes: false,
//! })
//! .unwrap();
//! assert_eq!((mainloop.stages, mainloop.schedule), (7, KernelSchedule::Cooperative));
//! assert_eq!(mainloop.storage.bytes, 229_504);
//! ```

mod blackwell_epilogue;
mod blackwell_mainloop;
mod epilogue;
mod hopper_epilogue;
mod hopper_mainloop;
mod kernel;
mod mainloop;
mod names;
mod schedule;
mod storage;
mod tensor_memory_load;

pub use epilogue::{
    Epilogue, EpilogueRequest, EpilogueTile, Fusion, FusionKind, OutputRequest, TmaEpilogue,
};
pub use kernel::{GemmKernel, TileScheduler};
pub use mainloop::{Mainloop, MainloopRequest, Policy, StagedOperand, TmaLoad, UmmaStages};
pub use names::cutlass_type;
pub use schedule::{EpilogueSchedule, KernelSchedule};
pub use storage::Extent;

use crate::refusal::Refusal;

/// The version of CUTLASS whose rules these are: major, minor.
pub const CUTLASS_VERSION: (u32, u32) = (4, 2);

/// The shared memory that one CTA can have on either architecture, in bytes (CUDA programming guide, compute
/// capabilities 9.0 and 10.0).
pub const SHARED_MEMORY_BYTES: i64 = crate::multiprocessor::shared_of_a_cta(90);

/// The target of a builder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// `cutlass::arch::Sm90`.
    Sm90,
    /// `cutlass::arch::Sm100`.
    Sm100,
}

impl Target {
    /// The target of CUTLASS's tag, without name spaces.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "Sm90" => Some(Target::Sm90),
            "Sm100" => Some(Target::Sm100),
            _ => None,
        }
    }

    /// CUTLASS's tag.
    pub fn name(self) -> &'static str {
        match self {
            Target::Sm90 => "Sm90",
            Target::Sm100 => "Sm100",
        }
    }
}

/// The order of a matrix in global memory: `cutlass::layout::RowMajor` or `ColumnMajor`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MemoryOrder {
    /// Rows are contiguous.
    Row,
    /// Columns are contiguous.
    Column,
}

/// The requested number of stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StageCount {
    /// `StageCountAutoCarveout<carveout>`: as many as fit beside `carveout` bytes; `StageCountAuto` is 0 bytes.
    Auto {
        /// The bytes that something else needs.
        carveout: i64,
    },
    /// `StageCount<n>` or `Int<n>`.
    Fixed(i64),
}

/// An operand that is read: A or B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct OperandRequest {
    /// The type of its elements in global memory.
    pub element: crate::Element,
    /// The order of the matrix as CUTLASS counts it: A is M x K, B is K x N.
    pub order: MemoryOrder,
    /// The alignment of its rows or columns, in elements.
    pub alignment: i64,
}

/// Why nothing is built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotBuilt {
    /// The builder refuses it: the text is that of its `static_assert`.
    Refused(Refusal),
    /// The builder has rules for it that are not modelled here.
    NotModelled(&'static str),
}

impl From<Refusal> for NotBuilt {
    fn from(refusal: Refusal) -> Self {
        NotBuilt::Refused(refusal)
    }
}

impl From<cute_algebra::Refusal> for NotBuilt {
    fn from(refusal: cute_algebra::Refusal) -> Self {
        NotBuilt::Refused(refusal.into())
    }
}

impl core::fmt::Display for NotBuilt {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            NotBuilt::Refused(refusal) => refusal.fmt(f),
            NotBuilt::NotModelled(what) => {
                write!(f, "the builder's rules for {what} are not modelled")
            }
        }
    }
}

impl core::error::Error for NotBuilt {}

/// CuTe's `shape_div` of two constants.
fn shape_div(extent: i64, divisor: i64) -> Result<i64, Refusal> {
    if divisor > 0 && extent % divisor == 0 {
        return Ok(extent / divisor);
    }
    if extent > 0 && divisor % extent == 0 {
        return Ok(1);
    }
    Err(Refusal::asserted(
        crate::Rule::Algebra(cute_algebra::Rule::NotDivisible),
        "Divisibility Condition",
    )
    .with("extent", extent)
    .with("divisor", divisor))
}
