//! Results for each place of a source: values, findings, remedies.
//!
//! **Knows** scopes, aliases, templates, the vocabulary that binds a name such as `logical_divide`
//! to the algebra; facts per span; findings with numbers; remedies proved before they are offered.
//! **Must never know** LSP types, JSON, or how a value is rendered.
//!
//! [`analyse`] takes a lowered source and gives an [`Analysis`]; its includes and its users come from a [`Sources`].
//! [`evaluate`] takes one expression.
//!
//! ```
//! use cute_analysis::{Alone, Options, SourceFile, analyse};
//! use tree_sitter_cute::{Budget, Host, Syntax};
//!
//! let text = "auto tile = cute::make_layout(cute::make_shape(cute::_128{}, cute::_8{}));";
//! let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited())?;
//! let file = SourceFile::analysed("tile.cu", text, syntax.lower(text));
//! let analysis = analyse(&file, &Alone, &Options::default());
//! assert_eq!(analysis.facts[0].value.to_string(), "(_128,_8):(_1,_128)");
//! # Ok::<(), tree_sitter_cute::NotParsed>(())
//! ```
#![forbid(unsafe_code)]

mod access;
mod addresses;
mod analyse;
mod arena;
pub mod ask;
mod assume;
mod blamed;
mod calls;
mod collective;
mod comments;
mod condition;
mod convention;
mod copy_width;
mod cost;
mod coverage;
mod cuda_functions;
mod cuda_vectors;
mod deferred;
mod directive;
mod evaluate;
mod explain;
mod fact;
mod faults;
mod finding;
mod hash;
mod held;
mod instance_names;
mod interpret;
pub mod limits;
mod matrix_strides;
mod mentions;
mod moved;
mod moves;
mod nearest;
mod object_layout;
mod options;
mod origin;
mod output;
mod partitioned;
mod parts;
mod places;
mod plain_names;
mod predicates;
mod ptx;
mod sequence;
// Functions that are built in have one signature; tables of Python's constructs have an arm for each, also where two do
// the same.
#[allow(
    clippy::unnecessary_wraps,
    clippy::needless_pass_by_value,
    clippy::match_same_arms,
    clippy::match_bool,
    clippy::single_match_else,
    clippy::match_wildcard_for_single_variants,
    clippy::float_cmp,
    clippy::collapsible_match,
    clippy::too_many_lines
)]
mod python;
mod python_types;
mod qualifiers;
mod questions;
mod reached;
mod reason;
mod remedy;
mod report;
mod role;
mod rules;
mod shared_values;
mod shown;
mod sources;
mod stack;
mod stop;
mod surface;
mod tensor;
mod trace;
mod triton;
mod twins;
mod types;
mod undecided;
mod uses;
mod value;
pub mod vocabulary;
mod walk;
mod wanted;
mod what_if;
mod words;
mod work;

pub use cute_algebra::Witness;

pub use access::{Access, AccessCost, AccessKind, AccessLayout, AccessMap, AccessSpace, BlockFrom};
pub use analyse::{analyse, analyse_edited};
pub use assume::{Assumption, AssumptionError};
pub use calls::{WrittenCall, calls_around, each_expression, each_subexpression, first_call};
pub use collective::{Collective, Gemm, Storage};
pub use convention::{Convention, ForeignSwizzle};
pub use cost::{
    Accumulator, Arrived, Budget, BufferCost, CopyCount, Cost, FragmentCost, LaunchBounds,
    LaunchCost, MadeDescriptor, MaskOfCta, MmaCount, MulticastMask, Note, Occupancy, Region,
    RegisterRole, SharedCost, TmaCount, TmaTile, Transaction,
};
pub use coverage::{Knowledge, LayoutDeclaration, LayoutNames};
pub use directive::{
    Annotation, Directive, DirectiveKind, RunKind, RunOrder, RunOrderError, directives,
};
pub use evaluate::{Evaluation, evaluate};
pub use explain::{NotExplained, Operation, derivation_in, explain, operation_in, operation_of};
pub use fact::{Analysis, DeclaredValue, Fact, Mention, ModeNames, Nominal, Word, WordKind};
pub use faults::{PackageVersion, pinned_version};
pub use finding::{Edit, Finding, Number, Related, Remedy, Severity};
pub use instance_names::{SUPPOSED, nearest_call, outermost_file};
pub use interpret::{Memo, Units};
pub use moves::Moves;
pub use options::{Integers, Judged, Options};
pub use partitioned::{Partitioned, partitions_of};
pub use parts::parts;
pub use python::{
    Worlds, named as name_in_dsl, offered as offered_of_dsl, parameters as parameters_of_dsl,
    written_by,
};
pub use reached::Reached;
pub use reason::Reason;
pub use remedy::{CppForm, layout_in_cpp, remedies, shape_and_stride_in_python};
pub use role::Role;
pub use rules::{About, Rule};
pub use sequence::Sequence;
pub use shown::Shown;
pub use sources::{Alone, Crate, Included, Inclusion, Positions, Predefined, SourceFile, Sources};
pub use stop::Stop;
pub use surface::Surface;
pub use tensor::{Pointer, Space, Tensor};
pub use triton::{TritonLayout, distributed_attribute, shared_attribute};
pub use types::{LibraryClass, RecordType, Scalar, ScalarClass, Type};
pub use undecided::{Undecided, Undecideds};
pub use value::{Dialect, Kind, Object, Order, Truth, Value};
pub use wanted::Wanted;
pub use what_if::{Otherwise, WhatIf, what_if};
pub use work::{Amount, Done, Work};
