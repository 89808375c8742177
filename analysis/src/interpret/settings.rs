//! The question that an evaluation answers: the host, and the parts that are looked for.

use tree_sitter_cute::Host;

use crate::assume::Assumption;
use crate::directive::Directive;
use crate::options::{Integers, Judged, Options};

/// Settings of one evaluation.
#[derive(Debug)]
pub(super) struct Settings {
    pub(super) host: Host,
    pub(super) integers: Integers,
    /// Whether an expression without a source around it is evaluated.
    pub(super) stands_alone: bool,
    pub(super) assumptions: Vec<Assumption>,
    pub(super) directives: Vec<Directive>,
    /// Whether templates that nothing instantiated so far are left for later: another unit may.
    pub(super) leaves_open: bool,
    pub(super) looks_for: LooksFor,
}

/// The actions of kernels that are looked for.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct LooksFor {
    /// The accesses of warps that are judged.
    pub(super) memory: Judged,
    /// Whether the actions of functions are recorded.
    pub(super) costs: bool,
    /// Whether the offsets of plain loads and stores are looked for.
    pub(super) accesses: bool,
}

impl Settings {
    /// The settings for CUDA C++.
    pub(super) fn of(options: &Options) -> Self {
        Self {
            host: Host::CudaCpp,
            integers: Integers::Cute,
            stands_alone: false,
            assumptions: options.assume.clone(),
            directives: Vec::new(),
            leaves_open: false,
            looks_for: LooksFor {
                memory: options.memory,
                costs: options.costs,
                accesses: options.accesses,
            },
        }
    }

    /// Whether the sources are CUDA C++.
    pub(super) fn is_cpp(&self) -> bool {
        self.host == Host::CudaCpp
    }
}
