//! Python, run as the DSL traces it: objects with identity, calls, classes and modules, and values of the running
//! kernel as symbols.
//!
//! | module | content |
//! |---|---|
//! | `machine` | files, frames, budgets |
//! | `heap`, `value` | objects with identity, and values |
//! | `expressions`, `operators`, `comparisons`, `statements`, `blocks`, `patterns`, `loops`, `branches`, `deletions`, `uncertain` | Python's constructs |
//! | `coroutines`, `lazy` | generators, and iterators whose elements are made when they are taken |
//! | `contents`, `dunders`, `enums`, `errors`, `metaclasses`, `dataclasses` | classes derived from types that are built in, and what their methods do |
//! | `calls`, `arguments`, `classes`, `attributes` | functions, their arguments, objects and their members |
//! | `library` | our Python versions of modules of the standard library |
//! | `builtins`, `functions`, `cached`, `containers`, `iterators`, `numerics`, `strings`, `specs`, `copies` | types, functions and methods that Python has, and its standard library |
//! | `modules`, `declared`, `world` | imports; results of modules that do not change from one analysis to the next |
//! | `dsl`, `offered` | members of `cutlass`, and its names for completion |
//! | `refusals` | refusals of the DSL, as findings |
//! | `effect`, `effects`, `costs` | effects of the kernel, and their costs |
//! | `observed`, `kernels` | calls and numbers of kernels, and the kernels in the tree of C++, for the rules about order and threads |
//! | `generators`, `files`, `templates`, `texts` | scripts that write sources, with their files, and values as text |
//! | `record`, `unreached` | the values kept for hints and hovers, and the names that an error leaves without one |
//! | `entries`, `users`, `tests`, `compilers`, `supposed`, `ranks` | the functions that are run, and their arguments |
//! | `runs` | the runs of a trace, of which a first answer needs some |
//! | `trials`, `choices`, `clues`, `variants`, `functions_in` | supposed arguments: how an error changes them, and other ones for the sides of an `if` that none takes |

mod accessors;
mod arguments;
mod arithmetic;
mod attributes;
mod blocks;
mod branches;
mod budget;
mod builtins;
mod cached;
mod calls;
mod choices;
mod classes;
mod clues;
mod comparisons;
mod compilers;
mod containers;
mod contents;
mod copies;
mod coroutines;
mod costs;
mod dataclasses;
mod declared;
mod deletions;
mod differences;
mod dsl;
mod dunders;
mod effect;
mod effects;
mod ended;
mod entries;
mod enums;
mod errors;
mod expressions;
mod files;
mod functions;
mod functions_in;
mod generators;
mod heap;
mod instantiation;
mod iterators;
mod kernels;
mod lazy;
mod library;
mod loops;
mod machine;
mod metaclasses;
mod modules;
mod namespaces;
mod native;
mod numbers;
mod numerics;
mod observed;
mod observing;
mod offered;
mod operators;
mod order;
mod own_texts;
mod patterns;
mod ranks;
mod record;
mod recording;
mod refusal;
mod refusals;
mod run;
mod runs;
mod specs;
mod statements;
mod strings;
mod subscripts;
mod suited;
mod supposed;
mod suspended;
mod templates;
mod tests;
mod texts;
mod trail;
mod trials;
mod uncertain;
mod unreached;
mod users;
mod value;
mod variants;
mod world;
mod written;

pub(crate) use entries::trace;

pub use generators::written_by;
pub use offered::{named, offered, parameters};
pub use world::Worlds;
