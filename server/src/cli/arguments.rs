//! The command line as data, and its help texts.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, ColorChoice, Parser, Subcommand};

use draw::DrawArguments;
use formats::{Form, Integers, ReportFormat, TableFormat};
use preview::{DescriptorArguments, TmaArguments};
use run::RunArguments;

pub(super) mod draw;
pub(super) mod formats;
pub(super) mod preview;
pub(super) mod run;

/// Language server and command line for tensor-layout expressions (CuTe / CUTLASS).
///
/// Evaluates the layouts of CUDA C++ sources without compiling or running them: no GPU, no CUDA
/// toolkit, no network. Without a subcommand it is the language server on stdin and stdout.
#[derive(Debug, Parser)]
#[command(
    name = "cute-analyzer",
    version,
    after_help = "\
Examples:
  cute-analyzer check examples                   findings of every source below a folder
  cute-analyzer hover examples/tiled_gemm.cu:87:8      what the editor shows there
  cute-analyzer eval 'composition((6,2):(1,7), (3,2):(2,3))'
  cute-analyzer draw '((2,2),4):((1,8),2)'       a layout as a grid
  cute-analyzer layouts examples/tiled_gemm.cu --assume M=512

Places are FILE:LINE:COLUMN, both counted from 1; a column counts characters, not bytes.
`cute-analyzer help COMMAND` says more about one command."
)]
pub(super) struct Arguments {
    /// The command; the language server when absent.
    #[command(subcommand)]
    pub(super) command: Option<Command>,

    /// Assume a size (`M=512`), a divisor (`ldA % 8 == 0`) or a bound (`K >= 64`);
    /// may be repeated.
    #[arg(long = "assume", value_name = "FACT", global = true)]
    pub(super) assume: Vec<String>,

    /// A folder to search for included files; may be repeated.
    #[arg(long, short = 'I', value_name = "FOLDER", global = true)]
    pub(super) include: Vec<PathBuf>,

    /// Define a macro, as the compiler does; may be repeated.
    #[arg(long, short = 'D', value_name = "NAME[=TEXT]", global = true)]
    pub(super) define: Vec<String>,

    /// The target architecture of device code, such as `sm_90a`; without it, any from `sm_90` on is possible.
    #[arg(long, value_name = "SM", global = true)]
    pub(super) arch: Option<String>,

    /// The Python environment whose packages are read: a folder or an interpreter. Default: `VIRTUAL_ENV`,
    /// else `.venv` in the project.
    #[arg(long, value_name = "PATH", global = true)]
    pub(super) python: Option<PathBuf>,

    /// When to colour text.
    #[arg(long, value_name = "WHEN", global = true, default_value = "auto")]
    pub(super) color: ColorChoice,

    /// Some clients pass it to every language server; it is the only way we speak.
    #[arg(long, hide = true)]
    pub(super) stdio: bool,
}

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Run the language server on stdin and stdout (an editor starts it)
    Lsp {
        /// Accepted because clients pass it; stdin and stdout are always used.
        #[arg(long, hide = true)]
        stdio: bool,
    },

    /// Check the layouts of the given sources, and report findings
    #[command(after_help = "\
Each finding starts with `file:line:column: severity[rule]: message`; `--explain RULE` says what a
rule means. A comment `// cute: allow(rule)` silences a rule for the next statement.

Exit code: 0 no finding of severity error, 1 some, 2 wrong usage or unreadable input.

Examples:
  cute-analyzer check examples
  cute-analyzer check examples --format sarif > layouts.sarif
  cute-analyzer check examples --format github      annotations in a GitHub workflow

To see only new findings, save the output of `check PATH --format json` and pass it to `--baseline`.")]
    Check {
        /// Source files, and folders to search for CUDA C++ sources
        #[arg(required_unless_present = "explain", value_name = "PATH")]
        paths: Vec<PathBuf>,
        /// Explain a rule; without a name, list all rules
        #[arg(long, value_name = "RULE", num_args = 0..=1, default_missing_value = "", conflicts_with = "paths")]
        explain: Option<String>,
        /// Output format
        #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
        format: ReportFormat,
        /// Also report legal but surprising code (severity information)
        #[arg(long)]
        all: bool,
        /// Also check warp memory accesses: bank conflicts and uncoalesced sectors
        #[arg(long)]
        memory: bool,
        /// Leave out the findings in this file, written by `check --format json`
        #[arg(long, value_name = "FILE")]
        baseline: Option<PathBuf>,
    },

    /// List every evaluated name of the given sources, one row per instantiation
    #[command(after_help = "\
Static integers print as `_128`, run-time ones as their name or as the number that was assumed.

Examples:
  cute-analyzer layouts examples/tiled_gemm.cu
  cute-analyzer layouts examples/tiled_gemm.cu --format json --assume M=512
  cute-analyzer layouts examples --unknown          why values are unknown, over a folder
  cute-analyzer layouts examples/tiled_gemm.cu --accesses      plain loads and stores as layouts

To see changes, save a file with `--snapshot` and pass it to `--diff`.
Exit code of --diff: 0 nothing changed, 1 a layout, a size or another figure did, 2 wrong usage.")]
    Layouts {
        /// Source files; with --unknown also folders
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Count the reasons for unknown values, most frequent first
        #[arg(long, conflicts_with_all = ["snapshot", "diff"])]
        unknown: bool,
        /// List plain loads and stores of kernels: the offsets of the threads as a layout, and the cost per warp
        #[arg(long, conflicts_with_all = ["unknown", "snapshot", "diff"])]
        accesses: bool,
        /// Write all values to this file, for `--diff`
        #[arg(long, value_name = "FILE", conflicts_with = "diff")]
        snapshot: Option<PathBuf>,
        /// Print at most N instances of each name; JSON gives their number
        #[arg(long, value_name = "N", conflicts_with_all = ["unknown", "accesses", "snapshot", "diff"])]
        instances: Option<usize>,
        /// Report what changed since this snapshot
        #[arg(long, value_name = "FILE")]
        diff: Option<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// Show the path of a tile through each kernel: global memory, copy, shared memory, MMA, epilogue
    #[command(after_help = "\
Covers hand-written kernels and those of CUTLASS's collective builders.

Examples:
  cute-analyzer summary examples/tiled_gemm.cu
  cute-analyzer summary examples/tiled_gemm.cu --format json

Exit code: 0 there are kernels, 1 none is known, 2 wrong usage or unreadable input.")]
    Summary {
        /// Source files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// Print the resources of each kernel: shared memory, registers, tensor memory, CTAs per SM
    #[command(after_help = "\
Limits are those of --arch, else of the first architecture that has every instruction of the kernel (sm_90
if all have them). Registers are those of the declared fragments: the compiler may keep fewer, and adds its own.

Examples:
  cute-analyzer budget examples/tensor_cores.cu
  cute-analyzer budget examples/tensor_cores.cu --format json --arch sm_80")]
    Budget {
        /// Source files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// Show what an editor's answer costs: what is read, parsed, evaluated and reused
    #[command(after_help = "\
Measures what an editor asks for: opening the file, a key in a comment, a key in a function. For a header
with many users, the instance that is shown comes first. Steps are evaluated statements and expressions;
the time of a function excludes the functions it calls.

With a line, the answers are about the 60 lines that an editor shows around it.

Examples:
  cute-analyzer why-slow examples/tiled_gemm.cu
  cute-analyzer why-slow examples/tiled_gemm.cu:40

Exit code: 0 measured, 2 wrong usage or unreadable input.")]
    WhySlow {
        /// Source file, or a line of it: `FILE` or `FILE:LINE`
        #[arg(value_name = "FILE[:LINE]")]
        file: String,
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// List the conditions on run-time sizes and pointers
    #[command(after_help = "\
Example:
  cute-analyzer preconditions examples/tiled_gemm.cu")]
    Preconditions {
        /// Source files
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// Explain failed static assertions and crashed kernels in a log, read from standard input
    #[command(after_help = "\
Reads logs of nvcc, GCC, Clang and compute-sanitizer, and CUDA errors 700, 715, 716 and 719. A failed
assertion is shown at the line of your source that led to it, with the values there, the rule, and operands
that would work. A crashed kernel is shown with the thread, the tensor element and the findings of the line.

Examples:
  nvcc -c kernel.cu 2>&1 | cute-analyzer decode
  compute-sanitizer ./kernel | cute-analyzer decode

Exit code: 0 nothing to explain, 1 something was explained.")]
    Decode {
        /// Output format
        #[arg(long, value_enum, default_value_t = TableFormat::Text)]
        format: TableFormat,
    },

    /// Print the inlay hints of a source, unabbreviated, as `line:column: label`
    #[command(after_help = "Example:\n  cute-analyzer hints examples/tiled_gemm.cu")]
    Hints {
        /// Source file
        file: PathBuf,
    },

    /// Print the hover of a place
    #[command(after_help = "\
Exit code: 0 a value is known there, 1 none is, 2 wrong usage or unreadable input.

Examples:
  cute-analyzer hover examples/tiled_gemm.cu:87:8
  cute-analyzer hover examples/tiled_gemm.cu:87:8 --all")]
    Hover {
        /// A place in a file: line and column count from 1
        #[arg(value_name = "FILE:LINE:COL")]
        place: String,
        /// Print everything known: properties, derivation, descriptors, address code, picture
        #[arg(long)]
        all: bool,
    },

    /// Evaluate one expression, or a stream of questions
    #[command(after_help = "\
An expression is a layout in CuTe's print, an operation on layouts, or CuTe C++:
  cute-analyzer eval '((2,2),4):((1,8),2)'
  cute-analyzer eval 'composition((6,2):(1,7), (3,2):(2,3))'
  cute-analyzer eval 'logical_divide((8,8):(1,8), <4,2>)'
  cute-analyzer eval 'make_layout(make_shape(Int<128>{}, Int<8>{}), LayoutRight{})'

or a layout attribute of Triton's IR; --as linear writes Triton's bases of any layout:
  cute-analyzer eval '#ttg.linear<{register = [[0, 1]], lane = [[1, 0]]}>'
  cute-analyzer eval --as linear 'Sw<3,3,3> o 0 o (64,64):(64,1)'
  cute-analyzer eval --as linear '((4,8),2):((16,1),8)' --tile '(8,8)'

With --stdin each line is a JSON object, and one JSON object is answered per line:
  {\"op\":\"composition\",\"args\":[\"(6,2):(1,7)\",\"(3,2):(2,3)\"]}
  {\"op\":\"coalesce\",\"args\":[\"(M,4):(1,M)\"],\"assume\":[\"M=512\"]}
  {\"op\":\"size\",\"args\":[\"(_8,4):(_1,8)\"],\"ints\":\"cute\"}
  {\"op\":\"mma_atom\",\"name\":\"SM80_16x8x16_F32F16F16F32_TN\"}

Exit code of one expression: 0 it has a value, 1 it is refused, 2 unreadable input.")]
    Eval {
        /// The expression
        #[arg(
            value_name = "EXPR",
            required_unless_present = "stdin",
            conflicts_with = "stdin"
        )]
        expression: Option<String>,
        /// Answer JSON lines from standard input
        #[arg(long)]
        stdin: bool,
        /// Reading of integers: `static`: every number is known to the compiler; `cute`: `_8` is static, `8` is a
        /// run-time number
        #[arg(long, value_enum, default_value_t = Integers::Static)]
        ints: Integers,
        #[command(flatten)]
        written: Written,
    },

    /// Derive the result of an operation step by step
    #[command(after_help = "\
Examples:
  cute-analyzer explain 'composition((4,6,8,10):(2,3,5,7), 6:12)'
  cute-analyzer explain 'complement((2,2):(1,6), 24)'
  cute-analyzer explain '(8,8):(1,8) ⊘ <4,2>'

Exit code: 0 derived (a refusal, too), 1 nothing to derive, 2 unreadable input.")]
    Explain {
        /// An operation on layouts
        #[arg(value_name = "EXPR")]
        expression: String,
    },

    /// Run a Python program, and record the layouts, tensors and integers of its kernels
    #[command(after_help = "\
Your program runs unchanged, with a hook that Python imports at start. For each process, the hook writes
the values of local names and attributes in CuTe DSL functions to a file in `.cute-analyzer/recorded/`,
which git ignores: layouts, tensors, atoms, integers and tuples; no strings and no data. Editors, `hints`,
`hover` and `layouts` show these values where nothing else is known. No other command runs your program.

A cached kernel is not traced; CUTE_DSL_NO_CACHE=1 and
CUTE_DSL_DISABLE_FILE_CACHING=1 bypass the caches of the DSL.

Exit code: 0 values were recorded, 1 none, or the program failed, 2 it could not be started.

Example:
  cute-analyzer record -- python my_kernel.py")]
    Record {
        /// The command, after `--`
        #[arg(required = true, trailing_var_arg = true, value_name = "COMMAND")]
        command: Vec<OsString>,
    },

    /// Run a layout on the CPU or a GPU, and compare the result with the algebra
    #[command(after_help = "\
Without options, the program that `ptx` prints computes the offset of every coordinate, or of an even
sample where there are more than a million; the answer says which. It runs on the first CUDA device, in a
separate process, for at most a minute; without a device it runs on the CPU, and the answer says why.
`--copy-to` copies the elements of one layout to another and checks each. `--times` and `--into` multiply
matrices of any layouts. The other experiments test tiles of shared memory. Only generated programs run,
never your sources.

Examples:
  cute-analyzer run '(8,(4,2)):(4,(1,32))'
  cute-analyzer run 'Sw<3,3,3> o 0 o (8,64):(64,1)' --format json
  cute-analyzer run '(64,64):(64,1)' --copy-to '(64,64):(1,64)' --element-bits 16
  cute-analyzer run '32:32' --experiment banks
  cute-analyzer run 'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)' --experiment tma
  cute-analyzer run 'Sw<3,4,3> o smem_ptr[16b](unset) o (_8,_64):(_64,_1)' --experiment ldmatrix
  cute-analyzer run 'Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_64):(_64,_1)' --experiment wgmma
  cute-analyzer run '(96,64):(64,1)' --times '(80,64):(1,80)' --into '(96,80):(80,1)'
  cute-analyzer run --table --device cpu

Exit code: 0 everything agrees, 1 something differs or cannot run, 2 unreadable input.")]
    Run(RunArguments),

    /// Draw a layout as a grid of offsets
    #[command(after_help = "\
Mode 0 runs down, the other modes run across; nested modes are bracketed and named.

With --by bank the cells show banks of shared memory. With --by thread or --by value a layout maps
(thread, value) to the cells of a tile, and each cell shows who has it, as those of atoms, tiled MMAs
and tiled copies do.

Examples:
  cute-analyzer draw '((2,2),4):((1,8),2)'
  cute-analyzer draw 'Sw<3,3,3> o 0 o (8,64):(64,1)' --by bank --type half_t
  cute-analyzer draw '((4,8),2):((16,1),8)' --by thread --tile '(8,8)'
  cute-analyzer draw 'Sw<3,3,3> o 0 o (8,64):(64,1)' -o swizzled.svg
  cute-analyzer draw 'composition((6,2):(8,2), (4,3):(3,1))' --operands -o steps.html
  cute-analyzer draw '(8,8):(8,1)' --against '(8,8):(1,8)' -o both.html
  cute-analyzer draw '(128,64):(64,1)' --rows 64 --columns 16
  cute-analyzer draw 'SM80_16x8x16_F32F16F16F32_TN{}'
  cute-analyzer draw 'logical_divide((8,16):(20,1), <4,8:2>)' --operands")]
    Draw(DrawArguments),

    /// Print PTX that computes the offset of a coordinate
    #[command(after_help = "\
The function takes the index of a coordinate, leftmost mode fastest. The first line says what it
costs.

Examples:
  cute-analyzer ptx 'Sw<3,3,3> o 0 o (8,64):(64,1)'
  cute-analyzer ptx '(6,10):(10,1)' --name tile_offset")]
    Ptx {
        /// A layout, or an expression whose value is one
        #[arg(value_name = "EXPR")]
        expression: String,
        /// The name of the function
        #[arg(long, default_value = "layout_offset")]
        name: String,
    },

    /// Show a matrix descriptor by field
    #[command(after_help = "\
The layout is that of one instruction's operand, as CuTe prints its tensor. Addresses count as 0.

Examples:
  cute-analyzer desc 'Sw<3,4,3> o smem_ptr[16b](unset) o (_64,_16):(_64,_1)'
  cute-analyzer desc 'smem_ptr[16b](PTR) o ((_8,_8),(_8,_2)):((_1,_64),(_8,_512))' --mn-major
  cute-analyzer desc 0x4000004000010000")]
    Desc(DescriptorArguments),

    /// Show the TMA descriptor of a copy
    #[command(after_help = "\
Layouts are written as CuTe prints them: `_64` is known to the compiler, `512` is a run-time number.

Examples:
  cute-analyzer tma '(512,1024):(1024,_1)' '(_64,_32):(_32,_1)' '(_64,_32)'
  cute-analyzer tma '(M,K):(ld,_1)' '(_64,_32):(_32,_1)' '(_64,_32)' --type float")]
    Tma(TmaArguments),

    /// Find the layout of a table of offsets, or of a function in a source
    #[command(after_help = "\
The table lists the offset of every coordinate, leftmost mode fastest. If no layout has these offsets, a
swizzled layout, a layout with xor strides and a chain of compositions are tried.

With --stdin each line is a table, and one JSON object is answered per line:
  {\"result\":\"(4,8):(8,1)\",\"kind\":\"layout\"}; kind is layout, swizzled, xor or sequence.

Examples:
  cute-analyzer infer 0 8 16 24 1 9 17 25
  cute-analyzer infer 0 1 2 3 5 4 7 6 10 11 8 9 15 14 13 12
  cute-analyzer infer --function smem_a --shape '(128,8)' --in examples/tiled_gemm.rs

A function takes one integer for each extent of the shape, and gives the offset. It is evaluated for every coordinate,
in CUDA C++ or Rust.

Exit code: 0 found, 1 none exists, 2 the input is not a table.")]
    Infer {
        /// The offsets, separated by spaces or commas
        #[arg(
            value_name = "OFFSET",
            allow_hyphen_values = true,
            required_unless_present_any = ["stdin", "function"],
            conflicts_with_all = ["stdin", "function"]
        )]
        offsets: Vec<String>,
        /// Answer one table per line of standard input
        #[arg(long, conflicts_with = "function")]
        stdin: bool,
        #[command(flatten)]
        of: FunctionOf,
    },
}

/// A function whose layout is found.
#[derive(Debug, Default, Args)]
pub(super) struct FunctionOf {
    /// The function, as a call names it
    #[arg(long, value_name = "NAME", requires_all = ["shape", "source"])]
    pub(super) function: Option<String>,
    /// The extents of its coordinates, `(8,64)`
    #[arg(long, value_name = "SHAPE", requires = "function")]
    pub(super) shape: Option<String>,
    /// The source that has it
    #[arg(long = "in", value_name = "FILE", requires = "function")]
    pub(super) source: Option<PathBuf>,
}

/// The form in which `eval` writes a value.
#[derive(Debug, Default, Args)]
pub(super) struct Written {
    /// The notation of a layout
    #[arg(long = "as", value_name = "FORM", value_enum, default_value_t = Form::Cute, conflicts_with = "stdin")]
    pub(super) form: Form,
    /// For `--as linear`: the layout maps (thread, value) to the cells of this tile
    #[arg(long, value_name = "SHAPE", conflicts_with = "stdin")]
    pub(super) tile: Option<String>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory as _;

    #[test]
    fn the_description_of_the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn an_expression_and_a_stream_exclude_each_other() {
        assert!(Arguments::try_parse_from(["cute-analyzer", "eval"]).is_err());
        assert!(Arguments::try_parse_from(["cute-analyzer", "eval", "--stdin", "4:1"]).is_err());
        assert!(Arguments::try_parse_from(["cute-analyzer", "eval", "4:1"]).is_ok());
    }

    #[test]
    fn editors_that_pass_stdio_get_the_server() {
        assert!(Arguments::try_parse_from(["cute-analyzer", "--stdio"]).is_ok());
        assert!(Arguments::try_parse_from(["cute-analyzer", "lsp", "--stdio"]).is_ok());
    }
}
