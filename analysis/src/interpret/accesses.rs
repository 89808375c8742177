//! The walk of a kernel for the addresses of its loads and stores ([`crate::access`]).
//!
//! The values of the interpreter forget differences between threads; here every integer is a term over `threadIdx`, and
//! a pointer is memory with an offset. Types, constants, template parameters and functions come from the interpreter.

mod addresses;
mod aliases;
mod assembly;
mod behind;
mod bodies;
mod bulk;
mod calls;
mod casts;
mod changed;
pub(super) mod changes;
mod contents;
mod conversion;
mod course;
mod expressions;
mod given;
mod groups;
mod held;
mod integral;
mod known;
mod lambdas;
mod launches;
mod layouts;
mod loops;
mod lost;
mod marks;
mod methods;
mod objects;
mod operators;
mod options;
mod passed;
mod places;
mod registers;
pub(super) mod roots;
mod rust;
mod statements;
mod stores;
mod strided;
mod switches;
mod tensors;
mod told;
mod unary;
mod unrolled;

use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, ExprKind, Function, Item, Loop, Span};

use self::changes::ChangedElsewhere;
use self::course::Course;
use self::held::{Count, Held, Local, Part, Pointer, Ty};
use self::launches::{any_launch, blocks_of, launches_of, sized_blocks};
pub(super) use self::rust::is_slice;
use super::Interpreter;
use super::frame::Frame;
use crate::access::alike::Alike;
use crate::access::stored::StoredTerm;
use crate::access::terms::{IntKind, Operator, SymbolId, SymbolKind, TermId, Terms};
use crate::access::{
    AccessKind, AccessSpace, Fence, INDEX, Launches, Memory, Met, Walked, describe, wraps,
};
use crate::hash::HashMap;
use crate::limits;
use crate::options::Judged;
use crate::trace::{ActionKind, Run};
use crate::types::Type;
use crate::value::Value;

/// The least value of a number that a kernel is given or loads for all threads: it is an extent, a stride or an index, as
/// the run-time integers of layouts are. Below 0 an unsigned sum with it would begin anew at 2^32.
const LEAST: i64 = 0;

/// Bytes of the widest load of a thread (PTX ISA, "ld": `.v4.b32`).
const WIDEST: i64 = 16;

/// The directions of a block.
const AXES: [&str; 3] = ["x", "y", "z"];

/// Variables of a block of statements.
type Scope<'u> = HashMap<&'u str, Local<'u>>;

/// Names of values that only the instance knows.
#[derive(Debug, Default)]
struct OpenNames {
    /// By the call and by the function's name for them.
    opened: HashMap<(usize, Arc<str>), Arc<str>>,
    /// The call that is walked, and the number of calls so far.
    call: usize,
    called: usize,
    /// The types that are integers in every instance of the function that is walked.
    integral: integral::Names,
    /// The same of each function, by its statements.
    integral_in: HashMap<*const Item, integral::Names>,
}

/// Statements and expressions that may still be walked.
#[derive(Debug)]
struct Steps {
    left: usize,
    /// Those of loops that are walked pass by pass, besides.
    spare: usize,
    /// Loops that took too many for that.
    too_long: Vec<*const Loop>,
}

/// The kernel, and declarations in it.
#[derive(Debug)]
struct Declared<'u> {
    kernel: &'u Function,
    /// Arrays of constants: they are in no register.
    tables: Vec<&'u str>,
    /// Shared memory that is declared outside of functions.
    statics: Scope<'u>,
    /// Parts of objects that the kernel is given, and whose type is not known, that it changes: `params.scale`.
    changed: Vec<Arc<str>>,
}

/// The walk of one kernel.
struct Walker<'w, 'u> {
    it: &'w mut Interpreter<'u>,
    /// Names that the interpreter knows at the current statement: template parameters, aliases, constants.
    frame: Frame<'u>,
    out: Walked,
    scopes: Vec<Scope<'u>>,
    course: Course<'u>,
    /// Whether accesses are kept: a loop is walked a first time to find its changes.
    recording: bool,
    /// The functions and lambdas that are being walked.
    calls: Vec<*const Function>,
    /// The variables of the functions around the one that is walked, the outermost first.
    outer: Vec<(Vec<Scope<'u>>, Box<Frame<'u>>)>,
    elsewhere: ChangedElsewhere<'u>,
    /// Values that called functions and lambdas return, with the conditions.
    returns: Vec<(Option<TermId>, Held<'u>)>,
    names: OpenNames,
    declared: Declared<'u>,
    /// The memory whose addresses are these symbols.
    addresses: HashMap<SymbolId, Arc<Memory>>,
    /// The replacement text of the macro whose expansion is walked.
    expanded: Option<&'u str>,
    steps: Steps,
}

impl<'u> Interpreter<'u> {
    /// Walks a kernel whose parameters are declared.
    pub(super) fn walk_accesses(&mut self, function: &'u Function, frame: &Frame<'u>) {
        let Some(run) = frame.actions.run else { return };
        if !function.flags.global || !self.settings.looks_for.accesses || frame.mode.uncertain {
            return;
        }
        if self.computed.reports.access_steps == 0 {
            let why = "the kernels before it take all the steps that there are for accesses";
            let mut walked = Walked::default();
            walked.met.push(Met {
                span: function.name.span,
                kind: AccessKind::Load,
                bytes: 0,
                align: 0,
                size: None,
                is_number: false,
                address: Err(why.into()),
                stored: None,
                guards: Vec::new(),
                loops: Vec::new(),
                site: None,
                is_asynchronous: false,
            });
            if let Some(run) = self.computed.reports.runs.get_mut(run) {
                run.accesses = Some(walked);
            }
            return;
        }
        // The values of names do not wait for this.
        let steps = self.budget.steps;
        self.budget.steps = steps.max(limits::ACCESS_STEPS * 2);
        let mut own = frame.clone();
        own.mode.recording = false;
        own.actions.run = None;
        own.steps = limits::ACCESS_STEPS;
        let mut out = Walked {
            origins: wraps::Origins::of_language(self.is_rust()),
            ..Walked::default()
        };
        for (axis, found) in out.directive.iter_mut().enumerate() {
            let name = format!("blockDim.{}", AXES.get(axis).unwrap_or(&"x"));
            *found = self.assumed_value(&name, function.name.span);
        }
        out.body = Some(body_of(function));
        let mut walker = Walker {
            it: self,
            frame: own,
            out,
            scopes: vec![Scope::default()],
            course: Course::default(),
            recording: true,
            calls: Vec::new(),
            outer: Vec::new(),
            elsewhere: ChangedElsewhere::default(),
            returns: Vec::new(),
            names: OpenNames::default(),
            declared: Declared {
                kernel: function,
                tables: Vec::new(),
                statics: Scope::default(),
                changed: Vec::new(),
            },
            addresses: HashMap::default(),
            expanded: None,
            steps: Steps {
                left: limits::ACCESS_STEPS,
                spare: limits::ACCESS_STEPS / 2,
                too_long: Vec::new(),
            },
        };
        walker.declare_outside();
        let body = function.body.as_deref().unwrap_or_default();
        let assigned = changes::assigned_in(body);
        walker.names.enter(body);
        for param in &function.params {
            walker.declare_parameter(param, &assigned);
        }
        walker.walk_all(body);
        let (mut walked, left) = (walker.out, walker.steps.left);
        walked.order.is_open |= left == 0
            || walked.met.len() >= limits::ACCESSES
            || has_volatile(self.program.slice(body_of(function)));
        self.budget.steps = if self.budget.is_stopped() { 0 } else { steps };
        let taken = limits::ACCESS_STEPS.saturating_sub(left);
        self.computed.reports.access_steps =
            self.computed.reports.access_steps.saturating_sub(taken);
        if let Some(run) = self.computed.reports.runs.get_mut(run) {
            let has_some = !walked.met.is_empty()
                || !walked.pointers.is_empty()
                || !walked.indices.is_empty()
                || !walked.marks.descriptors.is_empty()
                || !walked.marks.instructions.is_empty()
                || !walked.barriers.is_empty();
            run.accesses = has_some.then_some(walked);
        }
    }

    /// Describes the accesses of the kernels that were walked: now their launches are known.
    pub(super) fn describe_accesses(&mut self, runs: &mut [Run<'u>]) {
        let launched: Vec<Span> = runs
            .iter()
            .filter(|run| !run.launches.is_empty())
            .map(|run| run.function.name.span)
            .collect();
        for run in runs {
            let Some(mut walked) = run.accesses.take() else {
                continue;
            };
            // A kernel without template parameters is evaluated by itself, too.
            if run.launches.is_empty() && launched.contains(&run.function.name.span) {
                continue;
            }
            let name: Arc<str> = run.function.name.name.as_str().into();
            find_modes(&mut walked, run);
            let place = (&*name, run.instance.as_deref());
            let made = &walked.marks.descriptors;
            let (notes, wrong) =
                crate::cost::made_descriptors((&walked.terms, &walked.origins), made, place);
            let of_instructions = crate::cost::made_instructions(
                (&walked.terms, &walked.origins),
                &walked.marks.instructions,
                place,
            );
            let focus = &self.recorder.focus;
            let output = &mut self.recorder.output;
            let notes = notes.into_iter().chain(of_instructions);
            output
                .notes
                .extend(notes.filter(|note| focus.contains(note.anchor)));
            let wrong = wrong.into_iter();
            output
                .findings
                .extend(wrong.filter(|finding| focus.contains(finding.span)));
            let any = any_launch(run);
            let sized = sized_blocks(run);
            for block in blocks_of(run, &walked) {
                let launches = launches_of(run, block);
                let found = describe(
                    walked.clone(),
                    block,
                    &name,
                    run.instance.as_deref(),
                    self.settings.looks_for.memory != Judged::Nothing,
                    &Launches {
                        seen: &launches,
                        is_all: launches.len() == run.launches.len(),
                        any: &any,
                        sized: &sized,
                    },
                );
                let mine = |span: &Span| self.recorder.focus.contains(*span);
                let accesses = found.accesses.into_iter();
                self.recorder
                    .output
                    .accesses
                    .extend(accesses.filter(|access| mine(&access.span)));
                let kernel = run.function.name.span;
                let findings = found.findings.into_iter();
                let findings = findings
                    .filter_map(|finding| self.told_at(finding, kernel, &found.sites))
                    .collect::<Vec<_>>();
                self.recorder.output.findings.extend(findings);
            }
        }
    }
}

/// Gives the indices of tensors the extents of their modes, and leaves out the others.
fn find_modes(walked: &mut Walked, run: &Run<'_>) {
    let slices = run.actions.iter().filter(|action| {
        action.kind == ActionKind::Slice && action.is_reached() && !action.is_uncertain
    });
    let mut extents: HashMap<Span, Option<(usize, i64)>> = HashMap::default();
    for action in slices {
        let Some((Value::Tensor(tensor), coordinates)) = action.values.split_first() else {
            continue;
        };
        for (mode, written) in action.args.iter().enumerate() {
            let extent = crate::cost::extent_of_mode(tensor, mode, coordinates.len());
            let found = extent.map(|extent| (mode, extent));
            // A place that is passed with other tensors has no one extent.
            let known = extents.entry(written.span).or_insert(found);
            if *known != found {
                *known = None;
            }
        }
    }
    walked.indices.retain_mut(|index| {
        index.mode = extents.get(&index.met.span).copied().flatten();
        index.mode.is_some()
    });
}

/// The place of the statements of a function.
fn body_of(function: &Function) -> Span {
    let body = function.body.as_deref().unwrap_or_default();
    match (body.first(), body.last()) {
        (Some(first), Some(last)) => first.span.to(last.span),
        _ => function.name.span,
    }
}

/// Whether a text has the word `volatile`, except behind `asm`.
fn has_volatile(text: &str) -> bool {
    let mut words = text
        .split(|c: char| !(c.is_alphanumeric() || c == '_'))
        .filter(|word| !word.is_empty());
    let mut before = "";
    words.any(|word| {
        let is_of_assembly = matches!(before, "asm" | "__asm__" | "__asm");
        before = word;
        matches!(word, "volatile" | "__volatile__") && !is_of_assembly
    })
}

/// Whether a type is one of objects that have a size.
fn is_object(ty: &Type) -> bool {
    matches!(ty, Type::Record(_) | Type::Class(_) | Type::Named(_))
}

/// The alignment of a scalar or vector type; of an array that is copied at once, its bytes. 0 for other types.
fn align_of(ty: &Ty) -> i64 {
    match ty {
        Ty::Int(_) | Ty::Pointer(_) | Ty::Other(Type::Scalar(_), _) | Ty::Array(..) => {
            ty.bytes().unwrap_or(0)
        }
        Ty::Other(named, _) => {
            let vector = crate::cuda_vectors::size_and_alignment(&named.to_string());
            vector
                .and_then(|(_, align)| i64::try_from(align).ok())
                .unwrap_or(0)
        }
        Ty::Open(..) | Ty::Values(..) | Ty::Auto => 0,
    }
}

impl<'u> Walker<'_, 'u> {
    fn terms(&mut self) -> &mut Terms {
        &mut self.out.terms
    }

    /// Takes one step; `false` when the kernel has none left.
    fn step(&mut self) -> bool {
        match self.steps.left.checked_sub(1) {
            Some(left) => {
                self.steps.left = left;
                true
            }
            None => false,
        }
    }

    /// Bytes of a value of a type: `sizeof(T)`, at least 1, where only the instance says it.
    fn size(&mut self, ty: &Ty) -> Option<TermId> {
        let (extents, ty) = ty.elements()?;
        let own = match (ty.bytes(), ty) {
            (Some(bytes), _) => self.terms().number(bytes, INDEX),
            (None, Ty::Open(name, _) | Ty::Values(name, _)) => self.size_of_named(name),
            (None, Ty::Other(named, None)) if is_object(named) => {
                let name = named.to_string();
                self.size_of_named(&name)
            }
            (None, _) => return None,
        };
        let mut size = own;
        for extent in extents {
            let terms = self.terms();
            let extent = match extent {
                Count::Known(count) => terms.number(count, INDEX),
                Count::Open(count) => terms.convert(count, INDEX),
            };
            size = terms.binary(Operator::Mul, size, extent);
        }
        Some(size)
    }

    fn size_of_named(&mut self, name: &str) -> TermId {
        let name = format!("sizeof({name})");
        self.terms().shared(&name, SymbolKind::Uniform, INDEX, 1)
    }

    /// The name of a value that only the instance knows, by its name in the source: one thing in one call.
    fn own_name(&mut self, written: String) -> Arc<str> {
        let same = |known: &&(usize, Arc<str>)| *known.1 == *written;
        let others = self.names.opened.keys().filter(same).count();
        let key = (self.names.call, written.as_str().into());
        let name = self
            .names
            .opened
            .entry(key)
            .or_insert_with(|| match others {
                0 => written.into(),
                others => format!("{written}'{}", others + 1).into(),
            });
        Arc::clone(name)
    }

    fn number(&mut self, value: i64, kind: IntKind) -> Held<'u> {
        Held::Int(self.terms().number(value, kind))
    }

    /// An integer that is not known.
    fn unknown(&mut self, why: &str, kind: IntKind) -> TermId {
        self.terms().unknown(why, kind)
    }

    fn text(&self, span: Span) -> String {
        let text = self.it.program.slice(span);
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    /// Notes that threads may wait for each other here.
    fn fence(&mut self) {
        if self.recording {
            self.out.order.fences.push(Fence {
                before: self.out.met.len(),
                loops: self.course.loops.clone(),
                guards: (self.course.guards.iter().map(|guard| guard.condition)).collect(),
            });
        }
    }

    /// Notes that something is done here that is not followed.
    fn unseen(&mut self) {
        self.fence();
        self.out.is_unseen = true;
    }

    /// Keeps an access.
    fn met(
        &mut self,
        span: Span,
        kind: AccessKind,
        place: &Result<Pointer, Arc<str>>,
        stored: Option<StoredTerm>,
    ) {
        if !self.recording {
            return;
        }
        let align = place.as_ref().map_or(0, |place| align_of(&place.target));
        let is_number = place
            .as_ref()
            .is_ok_and(|place| matches!(place.target, Ty::Int(_) | Ty::Other(Type::Scalar(_), _)));
        let (address, size) = match place {
            Ok(pointer) => {
                let Some(memory) = &pointer.memory else {
                    return;
                };
                let memory = Arc::clone(memory);
                let guards: Vec<TermId> =
                    (self.course.guards.iter().map(|guard| guard.condition)).collect();
                let offset = self.terms().where_hold(pointer.offset, &guards);
                match self.size(&pointer.target) {
                    Some(size) => (Ok((memory, offset)), Some(size)),
                    None => (Err("the size of its type is not known".into()), None),
                }
            }
            Err(why) => (Err(Arc::clone(why)), None),
        };
        if self.out.met.len() >= limits::ACCESSES {
            return;
        }
        self.out.met.push(Met {
            span,
            kind,
            bytes: size
                .and_then(|size| self.out.terms.as_number(size))
                .unwrap_or(0),
            align,
            size,
            is_number,
            address,
            stored,
            guards: self.course.guards.clone(),
            loops: self.course.loops.clone(),
            site: self.course.site,
            is_asynchronous: false,
        });
    }

    /// The value loaded from a place.
    fn load(&mut self, span: Span, place: Result<Pointer, Arc<str>>) -> Held<'u> {
        // A large object is named here, and its members are loaded where they are named.
        let is_object = place.as_ref().is_ok_and(|place| {
            matches!(&place.target, Ty::Other(Type::Record(_) | Type::Class(_), bytes) if *bytes > Some(WIDEST))
        });
        if !is_object {
            self.met(span, AccessKind::Load, &place, None);
        }
        let pointer = match place {
            Ok(pointer) => pointer,
            Err(why) => return Held::Other(why, None),
        };
        let name = self.text(span);
        let alike = self.out.terms.alike(pointer.offset);
        let is_register = pointer.memory.is_none();
        let why: Arc<str> = if is_register {
            format!("`{name}` is kept in registers").into()
        } else {
            format!("`{name}` is loaded and differs by thread").into()
        };
        match (&pointer.target, alike) {
            (Ty::Int(kind), Some(alike)) if !is_register => {
                Held::Int(self.terms().fresh_from(&name, alike.kind(), *kind, LEAST))
            }
            (Ty::Int(kind), _) => Held::Int(self.unknown(&why, *kind)),
            // An element of an unknown type is a number or a pointer by its use.
            (Ty::Open(..), Some(alike)) if !is_register => {
                let kind = IntKind::LONG;
                let number = self.terms().fresh_from(&name, alike.kind(), kind, LEAST);
                Held::Given(Part {
                    number: Some(number),
                    ..Part::member(&name)
                })
            }
            (Ty::Pointer(target), Some(Alike::Block)) if !is_register => {
                let target = Ty::clone(target);
                self.pointer_to(&name, target, AccessSpace::Global, None)
            }
            (other, _) => Held::Other(why, Some(other.clone())),
        }
    }

    /// A pointer to the start of memory.
    fn pointer_to(
        &mut self,
        name: &str,
        target: Ty,
        space: AccessSpace,
        extent: Option<i64>,
    ) -> Held<'u> {
        let memory = Memory {
            name: name.into(),
            space,
            element: self.size(target.innermost()),
            lengths: Arc::default(),
            extent,
            declared: None,
            align: 1,
            is_dynamic: false,
        };
        let offset = self.terms().number(0, crate::access::INDEX);
        Held::Pointer(Pointer {
            memory: Some(Arc::new(memory)),
            offset,
            target,
            length: None,
        })
    }

    fn find(&self, name: &str) -> Option<&Local<'u>> {
        let local = self.scopes.iter().rev().find_map(|scope| scope.get(name));
        local.or_else(|| {
            let outside = self.declared.statics.get(name)?;
            self.frame.find(name).is_none().then_some(outside)
        })
    }

    fn find_mut(&mut self, name: &str) -> Option<&mut Local<'u>> {
        self.scopes
            .iter_mut()
            .rev()
            .find_map(|scope| scope.get_mut(name))
    }

    fn declare(&mut self, name: &'u str, mut local: Local<'u>) {
        local.held = self.followed(name, local.held);
        if let Some(scope) = self.scopes.last_mut() {
            scope.insert(name, local);
        }
    }

    /// Whether an expression names a variable of the walk.
    fn names_local(&self, expr: &'u Expr) -> bool {
        let mut found = false;
        crate::walk::subexpressions(expr, &mut |part| {
            if let ExprKind::Name(_) = &part.kind
                && let Some(name) = part.as_plain_name()
            {
                found |= self.find(name).is_some() || name == "threadIdx" || name == "blockIdx";
            }
        });
        found
    }
}
