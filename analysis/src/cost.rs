//! Consequences of layouts: the cost of a line, the resources of a kernel, whether its barriers agree, and conditions
//! on run-time sizes.
//!
//! Everything here is read off the actions of functions ([`crate::trace`]): nothing is evaluated again. Figures that
//! cannot be proved are left out; a number that is printed holds.

mod accumulation;
mod alignment;
mod apart;
mod arrivals;
mod axes;
mod barriers;
mod bounds;
pub(crate) mod boxes;
mod budget;
mod called;
mod changes;
mod configured;
mod copied;
mod counts;
mod declared;
mod dependent;
mod descriptors;
mod divergent;
mod elementwise;
mod exits;
mod extents;
mod fragments;
mod groups;
mod interleaved;
pub(crate) mod launches;

mod masks;
mod named;
mod numbering;
mod offsets;
mod order;
mod overlapping;
mod owners;
mod partitions;
mod phases;
mod products;
mod proxies;
mod races;
mod regions;
mod rehearsal;
mod rehearsed;
mod requirements;
mod rings;
mod sizes;
mod slices;
mod spills;
mod stages;
mod stored;
mod strides;
mod targets;
mod tensor_memory;
mod thread_sets;
mod threads;
mod traced;
mod tree;
mod uniform;
mod unset;
mod vectors;
mod waits;

use std::cell::OnceCell;

use tree_sitter_cute::tree::{Expr, Span};

pub use barriers::{Arrived, Transaction};
pub use budget::{Budget, BufferCost, FragmentCost, LaunchCost, Occupancy, SharedCost};
pub use counts::{Accumulator, CopyCount, MmaCount, TmaCount, TmaTile};
pub use descriptors::MadeDescriptor;
pub(crate) use descriptors::{instructions as made_instructions, made as made_descriptors};
pub use launches::{LaunchBounds, RegisterRole};
pub use masks::{MaskOfCta, MulticastMask};
pub use regions::Region;

pub(crate) use budget::three;
use declared::Declared;
pub(crate) use stages::extent as extent_of_mode;
pub(crate) use stored::Stored;
pub(crate) use traced::{Called, Issued, Kept, What, of_calls};

use crate::finding::{Finding, Move, Related, Severity};
use crate::hash::HashMap;
use crate::output::Output;
use crate::sources::SourceFile;
use crate::trace::Run;

/// The cost of a place of the source, in one instance of its function.
#[derive(Debug, Clone, PartialEq)]
pub struct Note {
    /// The name that is called or declared there.
    pub anchor: Span,
    /// The function around it.
    pub function: Option<String>,
    /// The instance of the function, where there are several.
    pub instance: Option<String>,
    /// The cost.
    pub cost: Cost,
}

/// The cost of something.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Cost {
    /// A copy by TMA.
    Tma(TmaCount),
    /// A copy by threads.
    Copy(CopyCount),
    /// A product.
    Mma(MmaCount),
    /// Registers of one thread.
    Accumulator(Accumulator),
    /// A layout of shared memory that TMA fills.
    Tile(TmaTile),
    /// Bytes that a barrier waits for.
    Transaction(Transaction),
    /// The CTAs that a multicast reaches.
    Mask(MulticastMask),
    /// The size of a kernel's object in shared memory.
    Shared(SharedCost),
    /// A matrix descriptor that code puts together.
    Descriptor(MadeDescriptor),
    /// The descriptor of an instruction of `tcgen05` that code puts together.
    Instruction(cute_hardware::descriptor::instruction::InstructionDescriptor),
    /// A tensor map that code encodes.
    Map(Box<cute_hardware::tma::TensorMap>),
}

impl Note {
    /// The note at its new place.
    pub(crate) fn moved(&self, to: Move<'_>) -> Option<Self> {
        let mut note = self.clone();
        note.anchor = to(self.anchor)?;
        match &mut note.cost {
            Cost::Transaction(found) => {
                for part in &mut found.arrived {
                    part.span = to(part.span)?;
                }
            }
            Cost::Shared(object) => object.move_to(to)?,
            _ => {}
        }
        Some(note)
    }
}

/// All that is known of costs in a file.
#[derive(Debug, Default)]
pub(crate) struct Costs {
    pub(crate) notes: Vec<Note>,
    pub(crate) budgets: Vec<Budget>,
    pub(crate) findings: Vec<Finding>,
    pub(crate) preconditions: Vec<Finding>,
    /// Places that belong to findings of a rule at a place.
    pub(crate) more: Vec<(&'static str, Span, Related)>,
}

/// The costs of the functions of a file.
pub(crate) fn costs<'u>(
    runs: &[Run<'u>],
    output: &Output,
    initialisers: &HashMap<Span, &'u Expr>,
    file: &SourceFile,
) -> Costs {
    let mut costs = Costs::default();
    // Where nothing is done, nothing is looked for.
    let items = if runs.is_empty() {
        &[]
    } else {
        file.unit().items.as_slice()
    };
    let declared = &Declared::new(initialisers, output, items);
    for run in runs {
        let seen = Seen::of(run, output, declared, file);
        counts::count(&seen, &mut costs);
        fragments::count(&seen, &mut costs);
        masks::explain(&seen, &mut costs);
        requirements::gather(&seen, &mut costs);

        configured::lead(&seen, &mut costs);
        if !run.is_uncertain {
            accumulation::judge(&seen, &mut costs);
            alignment::judge(&seen, &mut costs);
            barriers::judge(&seen, &mut costs);
            arrivals::judge(&seen, &mut costs);
            axes::judge(&seen, &mut costs);
            bounds::judge(&seen, &mut costs);
            boxes::judge(&seen, &mut costs);
            copied::judge(&seen, &mut costs);
            dependent::judge(&seen, &mut costs);
            divergent::judge(&seen, &mut costs);
            elementwise::judge(&seen, &mut costs);
            exits::judge(&seen, &mut costs);
            extents::judge(&seen, &mut costs);
            launches::judge(&seen, &mut costs);
            groups::judge(&seen, &mut costs);
            named::judge(&seen, &mut costs);
            numbering::judge(&seen, &mut costs);
            offsets::judge(&seen, &mut costs);
            overlapping::judge(&seen, &mut costs);
            phases::judge(&seen, &mut costs);
            products::judge(&seen, &mut costs);
            proxies::judge(&seen, &mut costs);
            races::judge(&seen, &mut costs);
            stages::judge(&seen, &mut costs);
            rehearsed::judge(&seen, &mut costs);
            regions::judge(&seen, &mut costs);
            slices::judge(&seen, &mut costs);
            spills::judge(&seen, &mut costs);
            targets::judge(&seen, &mut costs);
            tensor_memory::judge(&seen, &mut costs);
            waits::judge(&seen, &mut costs);
            interleaved::judge(&seen, &mut costs);
        }
        strides::lead(&seen, &mut costs);
        costs.findings.extend(budget::over_capacity(&seen));
        costs.budgets.extend(budget::budget(&seen));
    }
    for run in runs {
        let seen = Seen::of(run, output, declared, file);
        budget::explain_sizes(&seen, &mut costs);
    }
    costs.keep_launched();
    costs
}

/// The costs of kernels in Rust, whose copies and products are not followed: shared memory, launches and the barriers that
/// they work on.
pub(crate) fn resources<'u>(
    runs: &[Run<'u>],
    output: &Output,
    initialisers: &HashMap<Span, &'u Expr>,
    file: &SourceFile,
) -> Costs {
    let mut costs = Costs::default();
    let items = if runs.is_empty() {
        &[]
    } else {
        file.unit().items.as_slice()
    };
    let declared = &Declared::new(initialisers, output, items);
    for run in runs {
        let seen = Seen::of(run, output, declared, file);
        if !run.is_uncertain {
            arrivals::judge(&seen, &mut costs);
        }
        launches::judge(&seen, &mut costs);
        costs.findings.extend(budget::over_capacity(&seen));
        costs.budgets.extend(budget::budget(&seen));
        budget::explain_sizes(&seen, &mut costs);
    }
    costs.keep_launched();
    costs
}

impl Costs {
    /// Leaves the budgets out that are of no launch where the kernel has one: without template parameters it is evaluated
    /// by itself, too.
    fn keep_launched(&mut self) {
        let launched: Vec<Span> = self
            .budgets
            .iter()
            .filter(|budget| !budget.launches.is_empty())
            .map(|budget| budget.span)
            .collect();
        self.budgets
            .retain(|budget| !budget.launches.is_empty() || !launched.contains(&budget.span));
    }
}

/// Findings about a kernel of a trace that was lowered to the tree of C++, by the rules that need nothing else.
pub(crate) fn of_traced<'u>(
    run: &Run<'u>,
    output: &Output,
    initialisers: &HashMap<Span, &'u Expr>,
    file: &SourceFile,
) -> Vec<Finding> {
    let mut costs = Costs::default();
    let declared = &Declared::new(initialisers, output, run.body());
    let seen = Seen {
        is_of_dsl: true,
        ..Seen::of(run, output, declared, file)
    };
    accumulation::judge(&seen, &mut costs);
    axes::judge(&seen, &mut costs);
    copied::judge(&seen, &mut costs);
    divergent::judge(&seen, &mut costs);
    extents::judge(&seen, &mut costs);
    groups::judge(&seen, &mut costs);
    races::judge(&seen, &mut costs);
    rehearsed::judge(&seen, &mut costs);
    slices::judge(&seen, &mut costs);
    costs.findings
}

/// One instance of a function, with the file around it.
pub(crate) struct Seen<'s, 'u> {
    pub(crate) run: &'s Run<'u>,
    pub(crate) output: &'s Output,
    pub(crate) declared: &'s Declared<'s, 'u>,
    pub(crate) file: &'s SourceFile,
    /// Whether the kernel is one of the DSL of Python, lowered to the tree of C++.
    pub(crate) is_of_dsl: bool,
    found: Found,
}

/// Facts about the instance that several rules need, found at the first request.
#[derive(Debug, Default)]
struct Found {
    changes: changes::KnownChanges,
    /// Whether assembly works on barriers.
    is_assembled: OnceCell<bool>,
}

impl<'s, 'u> Seen<'s, 'u> {
    /// An instance of a function of C++ or Rust.
    fn of(
        run: &'s Run<'u>,
        output: &'s Output,
        declared: &'s Declared<'s, 'u>,
        file: &'s SourceFile,
    ) -> Self {
        Self {
            run,
            output,
            declared,
            file,
            is_of_dsl: false,
            found: Found::default(),
        }
    }
}

impl Seen<'_, '_> {
    fn note(&self, anchor: Span, cost: Cost) -> Note {
        Note {
            anchor,
            function: Some(self.run.function.name.name.clone()),
            instance: self.run.instance.as_deref().map(str::to_owned),
            cost,
        }
    }

    /// A finding of this instance without numbers.
    fn finding(
        &self,
        rule: &'static str,
        severity: Severity,
        span: Span,
        message: String,
    ) -> Finding {
        Finding {
            instance: self.instance(),
            ..Finding::new(rule, severity, span, message)
        }
    }

    fn instance(&self) -> Option<String> {
        self.run.instance.as_deref().map(str::to_owned)
    }

    /// The line of a place, counted from 1; 0 where it is in another file.
    fn line(&self, span: Span) -> usize {
        if self.file.contains(span) {
            self.file.line(span)
        } else {
            0
        }
    }
}
