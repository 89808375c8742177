//! Costs of calls of functions that were run, as the functions of Python are: from the actions of each call.

use tree_sitter_cute::tree::Span;

use super::budget::{self, Budget, FragmentCost, LaunchCost, SharedCost};
use super::counts::{copy_of, mma_of, tile_of, tma_of};
use super::fragments::{self, Fragment, registers_of};
use super::launches::{LaunchBounds, RegisterRole};
use super::regions::{self, Region};
use super::requirements::{needed, tma_conditions, vector_conditions};
use super::stored::Stored;
use super::{Cost, Costs, Note};
use crate::tensor::{Space, Tensor};
use crate::value::{Dialect, Value};

/// One call of a function, and its actions.
#[derive(Debug)]
pub(crate) struct Called {
    /// The function, with those around it.
    pub(crate) function: String,
    /// Its name in the source.
    pub(crate) name: Span,
    pub(crate) instance: Option<String>,
    pub(crate) is_kernel: bool,
    /// Whether its arguments are supposed: then no finding is reported.
    pub(crate) is_supposed: bool,
    /// Whether its registers are counted separately: it is a kernel, or a kernel calls it.
    pub(crate) is_counted: bool,
    /// The newest architecture that one of its instructions needs.
    pub(crate) architecture: Option<u16>,
    pub(crate) issued: Vec<Issued>,
    pub(crate) kept: Vec<Kept>,
    pub(crate) stored: Vec<Stored>,
    /// Columns of tensor memory that are allocated.
    pub(crate) columns: Option<i64>,
    /// Registers of a thread that warps ask for.
    pub(crate) registers: Vec<i64>,
    pub(crate) launches: Vec<LaunchCost>,
    pub(crate) bounds: Option<LaunchBounds>,
}

/// A copy, a product, an operation of TMA.
#[derive(Debug)]
pub(crate) struct Issued {
    pub(crate) what: What,
    /// The name that is called.
    pub(crate) anchor: Span,
    /// The call.
    pub(crate) span: Span,
    /// Its operands as C++ has them: `copy(atom, src, dst)`, `gemm(mma, A, B, C)`, `make_tma_atom(op, global, shared)`.
    pub(crate) values: Vec<Value>,
    /// Names of the operands, where they have names.
    pub(crate) names: Vec<Option<String>>,
    pub(crate) made: Value,
}

/// The issued operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    Copy,
    Product,
    MakeTma,
}

/// A tensor that a call makes and that a thread owns, in registers or in tensor memory.
#[derive(Debug)]
pub(crate) struct Kept {
    pub(crate) name: String,
    /// The name in the source.
    pub(crate) span: Span,
    pub(crate) tensor: Tensor,
    /// From its declaration to its last use.
    pub(crate) live: Span,
    /// Whether a product adds to it.
    pub(crate) is_of_product: bool,
}

/// Costs of calls.
pub(crate) fn of_calls(calls: &[Called]) -> Costs {
    let mut costs = Costs::default();
    for call in calls {
        for issued in &call.issued {
            of_issued(call, issued, &mut costs);
        }
        let fragments = fragments_of(call);
        for fragment in &fragments {
            let cost = Cost::Accumulator(fragment.cost.clone());
            costs.notes.push(call.note(fragment.name, cost));
        }
        let has_own = !call.stored.is_empty() || !fragments.is_empty();
        if call.is_kernel || (call.is_counted && has_own) {
            let budget = budget_of(call, &fragments);
            if call.is_kernel && !call.is_supposed {
                let needed = call.architecture.unwrap_or(OLDEST);
                let found = budget::exceeding(&budget, needed, None);
                costs.findings.extend(found);
            }
            costs.budgets.push(budget);
        }
    }
    costs
}

/// The oldest architecture that the DSL compiles for.
const OLDEST: u16 = 80;

impl Called {
    fn note(&self, anchor: Span, cost: Cost) -> Note {
        Note {
            anchor,
            function: Some(self.function.clone()),
            instance: self.instance.clone(),
            cost,
        }
    }
}

fn of_issued(call: &Called, issued: &Issued, costs: &mut Costs) {
    let cost = match issued.what {
        What::Copy => match tma_of(&issued.values) {
            Some(count) => Some(Cost::Tma(count)),
            None => copy_of(&issued.values).map(Cost::Copy),
        },
        What::Product => mma_of(&issued.values).map(Cost::Mma),
        What::MakeTma => {
            let shared = issued.values.get(2);
            shared.and_then(|shared| tile_of(&issued.made, shared, None).map(Cost::Tile))
        }
    };
    let mut conditions = Vec::new();
    let operands = || issued.values.iter().zip(&issued.names).skip(1);
    match &cost {
        Some(Cost::Copy(count)) => {
            for (value, name) in operands() {
                if let Value::Tensor(tensor) = value {
                    conditions.extend(vector_conditions(
                        tensor,
                        count.bits,
                        pointer(name.as_deref()),
                    ));
                }
            }
        }
        _ if issued.what == What::MakeTma => {
            if let Some((Value::Tensor(global), name)) = operands().next() {
                conditions.extend(tma_conditions(
                    global,
                    &issued.made,
                    pointer(name.as_deref()),
                ));
            }
        }
        _ => {}
    }
    for (condition, why) in &conditions {
        let found = needed(call.instance.clone(), issued.span, condition, why);
        let is_known = |other: &crate::finding::Finding| {
            other.span == found.span && other.message == found.message
        };
        if !costs.preconditions.iter().any(is_known) {
            costs.preconditions.push(found);
        }
    }
    let note = cost.map(|cost| call.note(issued.anchor, cost));
    if let Some(note) = note.filter(|note| !costs.notes.contains(note)) {
        costs.notes.push(note);
    }
}

/// The address of a tensor, where the source gives it a name.
fn pointer(name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{name}.iterator"),
        None => "the tensor".to_owned(),
    }
}

fn fragments_of(call: &Called) -> Vec<Fragment> {
    let mut found: Vec<Fragment> = Vec::new();
    for kept in &call.kept {
        let Some(mut cost) = registers_of(&kept.tensor) else {
            continue;
        };
        if let Some(element) = &kept.tensor.engine.element {
            cost.element = Dialect::Dsl.element(element);
        }
        cost.is_of_product = kept.is_of_product;
        if found.iter().all(|known| known.name != kept.span) {
            found.push(Fragment {
                name: kept.span,
                cost,
                live: kept.live,
            });
        }
    }
    found.sort_by_key(|fragment| fragment.name.start);
    found
}

fn budget_of(call: &Called, fragments: &[Fragment]) -> Budget {
    let mut roles: Vec<RegisterRole> = Vec::new();
    for registers in &call.registers {
        let role = RegisterRole {
            registers: *registers,
            warp_groups: None,
        };
        if !roles.contains(&role) {
            roles.push(role);
        }
    }
    let written = |span: Span| {
        let mut kept = call.kept.iter();
        kept.find(|kept| kept.span == span)
            .map_or_else(String::new, |kept| kept.name.clone())
    };
    Budget {
        function: call.function.clone(),
        span: call.name,
        instance: call.instance.clone(),
        is_kernel: call.is_kernel,
        architecture: call.architecture,
        shared: shared_of(&call.stored),
        fragments: fragments
            .iter()
            .map(|fragment| FragmentCost {
                name: written(fragment.name),
                span: fragment.name,
                cost: fragment.cost.clone(),
            })
            .collect(),
        peak: fragments::peak(fragments),
        roles,
        launch_bounds: call.bounds,
        regions: regions_of(call),
        allocated: call.columns,
        launches: call.launches.clone(),
    }
}

/// The objects in shared memory; bytes between two belong to the first.
fn shared_of(stored: &[Stored]) -> Vec<SharedCost> {
    let mut found: Vec<SharedCost> = Vec::new();
    for object in stored {
        if let Some(before) = found.last_mut() {
            before.pad(object.gap);
        }
        found.push(SharedCost::of_members(object));
    }
    found
}

fn regions_of(call: &Called) -> Vec<Region> {
    let mut found: Vec<Region> = Vec::new();
    for kept in &call.kept {
        if kept.tensor.engine.space != Space::TensorMemory {
            continue;
        }
        if let Some(columns) = regions::columns(&kept.tensor)
            && found.iter().all(|region| region.span != kept.span)
        {
            found.push(Region {
                name: kept.name.clone(),
                span: kept.span,
                columns,
                base: None,
            });
        }
    }
    found
}
