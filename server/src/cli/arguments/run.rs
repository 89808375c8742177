//! The arguments of `run`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::formats::TableFormat;
use crate::run::device::Device;

/// The subject of a run, and its device.
#[derive(Debug, Args)]
pub(in crate::cli) struct RunArguments {
    /// A layout or an expression whose value is one; a source, whose layouts after a
    /// `cute: run` are run; or one line of it
    #[arg(value_name = "EXPR|FILE|FILE:LINE", required_unless_present_any = ["table", "case"])]
    pub(in crate::cli) expression: Option<String>,
    /// Copy the elements to this layout
    #[arg(long, value_name = "EXPR", conflicts_with_all = ["experiment", "times"])]
    pub(in crate::cli) copy_to: Option<String>,
    /// The experiment; `--copy-to` means a copy, `--into` a matrix product
    #[arg(long, value_enum, default_value_t = AskedExperiment::Offsets)]
    pub(in crate::cli) experiment: AskedExperiment,
    /// Run at most N offsets, spread evenly
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(i64).range(1..))]
    pub(in crate::cli) samples: Option<i64>,
    /// The tensor from which `tma` loads the first tile; without it one of the tile's extents
    #[arg(long, value_name = "EXPR")]
    pub(in crate::cli) tensor: Option<String>,
    /// The other operand, (N,K), of `wgmma`, `tcgen05` or `--into`; without it tiles are multiplied with
    /// an identity
    #[arg(long, value_name = "EXPR")]
    pub(in crate::cli) times: Option<String>,
    /// The result, (M,N), of the generic matrix product C(m,n) += A(m,k) * B(n,k)
    #[arg(long, value_name = "EXPR", requires = "times")]
    pub(in crate::cli) into: Option<String>,
    /// The operand of `wgmma` or `tcgen05` that the tile is
    #[arg(long, value_enum, default_value_t = AskedOperand::A)]
    pub(in crate::cli) operand: AskedOperand,
    /// The seed of random inputs; without it they differ every time
    #[arg(long, value_name = "NUMBER")]
    pub(in crate::cli) seed: Option<u64>,
    /// Bits of an element, where the layout does not say
    #[arg(long, value_name = "BITS", default_value_t = 32)]
    pub(in crate::cli) element_bits: u16,
    /// The device
    #[arg(long, value_enum, default_value_t = Device::Auto)]
    pub(in crate::cli) device: Device,
    /// Time limit of one experiment
    #[arg(long, value_name = "SECONDS", default_value_t = 60, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(in crate::cli) time_limit: u64,
    /// Output format
    #[arg(long, value_enum, default_value_t = TableFormat::Text)]
    pub(in crate::cli) format: TableFormat,
    /// Add the answers to a file, one line of JSON each
    #[arg(long, value_name = "FILE")]
    pub(in crate::cli) history: Option<PathBuf>,
    /// Print the launch on a GPU, and run nothing
    #[arg(long)]
    pub(in crate::cli) plan: bool,
    /// Run the whole table of experiments for a new device: layouts, copies, accesses, tiles, products
    #[arg(long, conflicts_with = "expression")]
    pub(in crate::cli) table: bool,
    /// Run one row of the table, by its name
    #[arg(long, hide = true)]
    pub(in crate::cli) case: Option<String>,
    /// Run the kernel in this process
    #[arg(long, hide = true)]
    pub(in crate::cli) in_process: bool,
}

/// An experiment on a machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AskedExperiment {
    /// Whether the address program of the layout computes its offsets
    Offsets,
    /// The wavefronts of a warp that reads the first 32 elements from shared memory
    Banks,
    /// Whether TMA puts a tile where the layout of shared memory says
    Tma,
    /// Whether `ldmatrix` gives every lane the elements that the layout says
    Ldmatrix,
    /// Whether `stmatrix` puts the elements of every lane where the layout says
    Stmatrix,
    /// Whether `wgmma` reads the tile through the matrix descriptor that `desc` shows
    Wgmma,
    /// The same of `tcgen05.mma`
    Tcgen05,
}

/// Operands of a matrix product.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(in crate::cli) enum AskedOperand {
    /// Rows of the result
    A,
    /// Columns of the result
    B,
}
