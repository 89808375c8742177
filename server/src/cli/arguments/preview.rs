//! The arguments of `desc` and `tma`.

use clap::{Args, ValueEnum};

/// The arguments of `desc`.
#[derive(Debug, Args)]
pub(in crate::cli) struct DescriptorArguments {
    /// A layout in shared memory, or 64 bits in hexadecimal
    #[arg(value_name = "TENSOR|0xBITS")]
    pub(in crate::cli) tensor: String,
    /// The instruction that reads it
    #[arg(long, value_enum, default_value_t = Instruction::Wgmma)]
    pub(in crate::cli) instruction: Instruction,
    /// The operand is contiguous along M or N, not along K
    #[arg(long)]
    pub(in crate::cli) mn_major: bool,
}

/// Instructions that read matrix descriptors.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum Instruction {
    /// `wgmma` of Hopper
    Wgmma,
    /// `tcgen05.mma` of Blackwell
    Tcgen05,
}

/// The arguments of `tma`.
#[derive(Debug, Args)]
pub(in crate::cli) struct TmaArguments {
    /// The global tensor
    #[arg(value_name = "GLOBAL")]
    pub(in crate::cli) global: String,
    /// The layout of one tile in shared memory
    #[arg(value_name = "SHARED")]
    pub(in crate::cli) shared: String,
    /// The tile of a CTA
    #[arg(value_name = "TILE")]
    pub(in crate::cli) tile: String,
    /// The type of the elements
    #[arg(long = "type", value_name = "TYPE", default_value = "half_t")]
    pub(in crate::cli) element: String,
    /// The operation
    #[arg(long = "op", value_name = "NAME", default_value = "SM90_TMA_LOAD")]
    pub(in crate::cli) operation: String,
    /// Number of CTAs that share the tile
    #[arg(long, value_name = "CTAS", default_value_t = 1, value_parser = clap::value_parser!(u8).range(1..=16))]
    pub(in crate::cli) multicast: u8,
}
