//! Python, run as the DSL traces it: objects with identity, calls, classes and modules, and what only the running kernel
//! knows as symbols.
//!
//! | module | what is found there |
//! |---|---|
//! | `machine` | files, frames, budgets |
//! | `heap`, `value` | objects with identity, and values |
//! | `expressions`, `operators`, `statements`, `loops`, `branches` | Python's constructs |
//! | `calls`, `arguments`, `classes`, `attributes` | functions, what they are given, objects and their members |
//! | `builtins`, `functions`, `containers` | types, functions and methods that Python has, and its standard library |
//! | `modules`, `world` | imports; what modules made that do not change from one analysis to the next |
//! | `dsl`, `offered` | what `cutlass` has, and its names for completion |
//! | `refusals` | what the DSL refuses, as findings |
//! | `deed`, `deeds`, `costs` | what the kernel does, and what that costs |
//! | `record`, `unreached` | the values that are kept for hints and hovers, and what an error leaves without one |
//! | `entries`, `users`, `tests`, `compilers`, `supposed` | which functions are run, and with what |

mod arguments;
mod attributes;
mod branches;
mod builtins;
mod calls;
mod classes;
mod compilers;
mod containers;
mod costs;
mod deed;
mod deeds;
mod dsl;
mod entries;
mod expressions;
mod functions;
mod heap;
mod loops;
mod machine;
mod modules;
mod native;
mod offered;
mod operators;
mod record;
mod refusals;
mod statements;
mod supposed;
mod tests;
mod unreached;
mod users;
mod value;
mod world;

pub(crate) use entries::trace;
pub use offered::{offered, parameters};
pub use world::Worlds;
