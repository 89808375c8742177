//! Costs of the calls of a trace: of the actions of each, with the names that the file gives them.

use tree_sitter_cute::script::{Script, Used, uses};
use tree_sitter_cute::tree::Span;

use super::effect::{Effect, EffectKind, Launch};
use super::entries::Shown;
use super::machine::Machine;
use super::record::{Activation, Binding};
use super::value::Py;
use crate::cost::{Called, Costs, Issued, Kept, LaunchBounds, LaunchCost, Stored, What, of_calls};
use crate::hash::HashSet;
use crate::tensor::{Space, Tensor};
use crate::value::Value;

/// The first architecture with tensor memory.
const WITH_TENSOR_MEMORY: u16 = 100;
/// An architecture up to this one is not judged: it is taken to have every known instruction.
const OLDEST: u16 = 70;

/// Costs of the shown calls.
pub(super) fn costs(machine: &Machine<'_>, shown: &[Shown<'_>]) -> Costs {
    let script = machine.focus.script();
    let calls: Vec<Called> = shown
        .iter()
        .filter(|shown| shown.call.declared != Span::default())
        .map(|shown| called(machine, &script, shown))
        .collect();
    of_calls(&calls)
}

fn called(machine: &Machine<'_>, script: &Script, shown: &Shown<'_>) -> Called {
    let call = shown.call;
    let is_of_kernel = call.caller.is_some_and(|place| {
        let mut all = machine.record.activations.iter();
        all.any(|it| it.is_kernel && it.code.encloses(place))
    });
    let mut called = Called {
        function: call.function.to_string(),
        name: call.declared,
        instance: shown.instance.as_deref().map(str::to_owned),
        is_kernel: call.is_kernel,
        is_supposed: call.supposed.is_some(),
        is_counted: call.is_kernel || is_of_kernel,
        architecture: architecture(call),
        issued: Vec::new(),
        kept: Vec::new(),
        stored: Vec::new(),
        columns: None,
        registers: Vec::new(),
        launches: Vec::new(),
        bounds: None,
    };
    let own = machine
        .kernel
        .effects
        .iter()
        .filter(|it| it.activation == shown.at);
    let mut names = None;
    for effect in own {
        let names = names.get_or_insert_with(|| Names::in_code(script, call.code));
        add(&mut called, call, effect, names);
    }
    if called.columns.is_some() {
        called.architecture = called.architecture.max(Some(WITH_TENSOR_MEMORY));
    }
    called
}

fn add(called: &mut Called, call: &Activation, effect: &Effect, names: &Names<'_>) {
    match &effect.kind {
        EffectKind::Issued {
            what,
            anchor,
            values,
            names,
            made,
        } => called.issued.push(Issued {
            what: *what,
            anchor: *anchor,
            span: effect.span,
            values: values.clone(),
            names: named(call, *what, values, names),
            made: made.clone(),
        }),
        EffectKind::Kept {
            tensor,
            is_of_product,
        } => {
            if let Some(binding) = bound_to(call, effect.span, tensor) {
                called.kept.push(Kept {
                    name: binding.name.to_string(),
                    span: binding.span,
                    tensor: Tensor::clone(tensor),
                    live: names.live(call, binding),
                    is_of_product: *is_of_product,
                });
            }
        }
        EffectKind::Stored {
            is_dynamic,
            gap,
            size,
            align,
            members,
        } => {
            let (name, span) = name_of(call, effect.span);
            called.stored.push(Stored {
                name,
                span,
                is_dynamic: *is_dynamic,
                gap: *gap,
                size: size.clone(),
                align: *align,
                members: members.clone(),
            });
        }
        EffectKind::Columns(columns) => {
            called.columns = called.columns.unwrap_or(0).checked_add(*columns);
        }
        EffectKind::Registers(registers) => called.registers.push(*registers),
        EffectKind::Launch(launch) => add_launch(called, call, effect.span, launch),
    }
}

fn add_launch(called: &mut Called, call: &Activation, span: Span, launch: &Launch) {
    // A launch of another file has no place here.
    let span = match span == Span::default() {
        true => call.declared,
        false => span,
    };
    called.launches.push(LaunchCost {
        span,
        block: launch.block,
        cluster: launch.cluster,
        grid: launch.grid.clone(),
        bytes: launch.bytes,
    });
    let threads = launch
        .block
        .and_then(|[x, y, z]| x.checked_mul(y)?.checked_mul(z));
    if let (Some(threads), Some(blocks)) = (threads, launch.blocks) {
        called.bounds = Some(LaunchBounds {
            threads,
            blocks: Some(blocks),
            has_minimum: true,
        });
    }
}

/// The names of operands: of the tensor of an operation of TMA, the first that is bound to it.
fn named(
    call: &Activation,
    what: What,
    values: &[Value],
    names: &[Option<String>],
) -> Vec<Option<String>> {
    let mut names = names.to_vec();
    if let (What::MakeTma, Some(global)) = (what, values.get(1)) {
        let mut bindings = call.bindings.iter();
        let bound = bindings.find(|it| matches!(&it.value, Py::Leaf(value) if value == global));
        if let Some(name) = names.get_mut(1) {
            *name = bound.map(|binding| binding.name.to_string());
        }
    }
    names
}

/// The name that is bound to a tensor by the statement that contains a call.
fn bound_to<'c>(call: &'c Activation, span: Span, tensor: &Tensor) -> Option<&'c Binding> {
    let is_it = |binding: &&Binding| {
        binding.declaration.encloses(span)
            && matches!(&binding.value, Py::Leaf(Value::Tensor(bound)) if **bound == *tensor)
    };
    // Of two names the one that says something.
    let mut all = call.bindings.iter().filter(is_it);
    let first = all.next()?;
    Some(match &*first.name {
        "_" => all.next().unwrap_or(first),
        _ => first,
    })
}

/// The name of an object: the only name that the statement binds, else nothing.
fn name_of(call: &Activation, span: Span) -> (String, Span) {
    let mut bound = call
        .bindings
        .iter()
        .filter(|binding| binding.declaration.encloses(span));
    match (bound.next(), bound.next()) {
        (Some(binding), None) => (binding.name.to_string(), binding.span),
        _ => ("shared memory".to_owned(), span),
    }
}

/// The newest architecture that an atom of a call needs.
fn architecture(call: &Activation) -> Option<u16> {
    let numbers = call.bindings.iter().filter_map(|it| match &it.value {
        Py::Leaf(Value::TiledMma(mma)) => Some(mma.atom().architecture.number),
        Py::Leaf(Value::ThrMma(thread)) => Some(thread.mma.atom().architecture.number),
        Py::Leaf(Value::MmaAtom(atom)) => Some(atom.architecture.number),
        Py::Leaf(Value::TiledCopy(copy)) => Some(copy.atom().atom.architecture.number),
        Py::Leaf(Value::ThrCopy(thread)) => Some(thread.copy.atom().atom.architecture.number),
        Py::Leaf(Value::CopyAtom(atom)) => Some(atom.atom.architecture.number),
        _ => None,
    });
    numbers.max().filter(|number| *number > OLDEST)
}

/// Uses of names in a function, in order, and its loops.
struct Names<'s> {
    places: Vec<(&'s str, Span)>,
    loops: Vec<Span>,
}

impl<'s> Names<'s> {
    fn in_code(script: &'s Script, code: Span) -> Self {
        let mut names = Self {
            places: Vec::new(),
            loops: Vec::new(),
        };
        uses(&script.body, code, &mut |used| match used {
            Used::Name(name, span) => names.places.push((name, span)),
            Used::Loop(span) => names.loops.push(span),
            Used::Member(..) | Used::Mode(..) => {}
        });
        names.places.sort_by_key(|(_, span)| span.start);
        names
    }

    /// From the declaration of a name to the last use of it or of a view of it; where that is in a loop that the
    /// declaration is not in, to the end of the loop.
    fn live(&self, call: &Activation, binding: &Binding) -> Span {
        let mut names: HashSet<&str> = HashSet::from_iter([&*binding.name]);
        // Views are declared behind their tensors, so one pass in order finds them all.
        for view in &call.bindings {
            let is_view = view.span.start > binding.span.start && is_in_registers(&view.value);
            if is_view && !names.contains(&*view.name) {
                let first = self
                    .places
                    .partition_point(|(_, place)| place.start < view.declaration.start);
                let inside = self.places.iter().skip(first);
                let mut inside = inside.take_while(|(_, place)| place.start < view.declaration.end);
                if inside.any(|(name, _)| names.contains(name)) {
                    names.insert(&view.name);
                }
            }
        }
        let uses = self
            .places
            .iter()
            .filter(|(name, place)| place.start >= binding.span.start && names.contains(name));
        let mut end = uses.fold(binding.span.end, |end, (_, place)| end.max(place.end));
        for span in &self.loops {
            if span.contains(end.saturating_sub(1)) && !span.contains(binding.span.start) {
                end = end.max(span.end);
            }
        }
        Span::new(binding.span.start, end)
    }
}

fn is_in_registers(value: &Py) -> bool {
    matches!(value, Py::Leaf(Value::Tensor(tensor)) if tensor.engine.space == Space::Registers)
}
