//! The path of a tile through each kernel of a file: global memory, copy, shared memory, product, epilogue.

use std::fmt::Write as _;

use cute_analysis::{
    Analysis, Budget, Collective, Cost, Dialect, Fact, Gemm, Note, Space, Tensor, Value, WordKind,
};
use cute_hardware::collective::{Policy, SHARED_MEMORY_BYTES};
use cute_hardware::{TemplateId, TiledCopy, TiledMma, ValueCopyAtom};
use serde::Serialize;
use tree_sitter_cute::tree::Span;

use super::collective::{copies, instruction, kernel_needs, matrix, picked_epilogue};
use super::cost;
use super::number::{counted, grouped};

/// One kernel in one instance.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The place of its declaration.
    #[serde(skip)]
    pub span: Span,
    /// The instance, where there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<String>,
    /// `builder` of a collective builder, `function` of a function that is written out.
    pub kind: &'static str,
    /// The path, in the order in which a tile takes it.
    pub path: Vec<Step>,
}

/// The step of a tile at one place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    /// The place: `gmem`, `copy`, `smem`, `mma`, `accumulator`, `epilogue`, `kernel`.
    pub at: &'static str,
    /// The name in the source, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The description.
    pub text: String,
    /// The bytes of it, where they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<i64>,
}

/// The most steps that are shown of one place.
const MOST_STEPS: usize = 4;

/// The kernels of a file, in the order of the source.
pub fn of(analysis: &Analysis) -> Vec<Kernel> {
    let mut kernels: Vec<Kernel> = analysis.facts.iter().filter_map(of_builder).collect();
    kernels.dedup_by(|a, b| a.path == b.path && a.span == b.span);
    kernels.extend(of_functions(analysis));
    kernels.sort_by_key(|kernel| kernel.span.start);
    kernels
}

impl Kernel {
    /// The kernel as text; `line` is that of its declaration.
    pub fn plain(&self, line: usize) -> String {
        let instance = self
            .instance
            .as_ref()
            .map(|instance| format!("  [{instance}]"))
            .unwrap_or_default();
        let mut text = format!("{} (line {line}){instance}\n", self.name);
        let mut before = "";
        for step in &self.path {
            let at = if step.at == before { "" } else { step.at };
            before = step.at;
            let name = step
                .name
                .as_ref()
                .map(|name| format!("{name}: "))
                .unwrap_or_default();
            let _ = writeln!(text, "  {at:<12}{name}{}", step.text);
        }
        text
    }
}

fn step(at: &'static str, name: Option<&str>, text: String, bytes: Option<i64>) -> Step {
    Step {
        at,
        name: name.map(str::to_owned),
        text,
        bytes,
    }
}

/// A kernel of a collective builder.
fn of_builder(fact: &Fact) -> Option<Kernel> {
    let Value::Collective(collective) = &*fact.value else {
        return None;
    };
    let Collective::Kernel(gemm) = &**collective else {
        return None;
    };
    Some(Kernel {
        name: fact.name.to_string(),
        span: fact.name_span,
        instance: fact.instance.as_deref().map(str::to_owned),
        kind: "builder",
        path: builder_path(gemm),
    })
}

fn builder_path(gemm: &Gemm) -> Vec<Step> {
    let mainloop = &gemm.mainloop;
    let (request, a, b) = (&mainloop.request, &mainloop.a, &mainloop.b);
    let [m, n, k] = request.tile;
    let over = match request.cluster {
        Some([m, n, k]) => format!("cluster {m}x{n}x{k}"),
        None => "cluster at run time".to_owned(),
    };
    let mut path = vec![
        step(
            "gmem",
            None,
            format!(
                "A {}, B {}; tile {m}x{n}x{k}, {over}, {}",
                matrix(a.request.element, a.request.order),
                matrix(b.request.element, b.request.order),
                request.target.name()
            ),
            None,
        ),
        step(
            "copy",
            None,
            copies(mainloop),
            Some(mainloop.transaction_bytes),
        ),
        step("smem", Some("A"), a.atom.to_string(), Some(a.stage_bytes)),
        step("smem", Some("B"), b.atom.to_string(), Some(b.stage_bytes)),
        step(
            "smem",
            None,
            format!(
                "{} stages x {} B = {} B, with barriers {} of {} B",
                mainloop.stages,
                grouped(mainloop.stage_bytes()),
                grouped(mainloop.tensors.bytes),
                grouped(mainloop.storage.bytes),
                grouped(SHARED_MEMORY_BYTES)
            ),
            Some(mainloop.storage.bytes),
        ),
    ];
    let [_, _, deep] = mainloop.mma.atom().shape_mnk();
    path.push(step(
        "mma",
        None,
        format!(
            "{}, {} of them along K a stage, {} schedule",
            instruction(mainloop),
            k / deep.max(1),
            mainloop.schedule.words()
        ),
        None,
    ));
    path.extend(builder_accumulator(gemm));
    path.push(step(
        "epilogue",
        None,
        picked_epilogue(&gemm.epilogue),
        Some(gemm.epilogue.storage.bytes),
    ));
    path.push(step(
        "kernel",
        None,
        kernel_needs(gemm),
        Some(gemm.kernel.shared_bytes),
    ));
    path
}

fn builder_accumulator(gemm: &Gemm) -> Option<Step> {
    let mainloop = &gemm.mainloop;
    let layout = mainloop.accumulator().ok()?;
    let size = layout.size().ok()?.value()?;
    let bits = mainloop.request.accumulator.bits();
    let text = match mainloop.policy {
        Policy::TmaUmma(stages) => format!(
            "{} accumulators of {} in tensor memory, {} stages",
            grouped(size),
            mainloop.request.accumulator.ptx(),
            stages.accumulator
        ),
        _ => format!(
            "{size} values of {} = {} registers per thread",
            mainloop.request.accumulator.ptx(),
            size * bits / 32
        ),
    };
    Some(step("accumulator", None, text, None))
}

/// A function in one instance, with its declarations.
struct Body<'a> {
    analysis: &'a Analysis,
    function: &'a str,
    instance: Option<&'a str>,
    facts: Vec<&'a Fact>,
    /// The costs of its lines.
    notes: Vec<&'a Note>,
    /// Its resources, where it is a kernel.
    budget: Option<&'a Budget>,
}

/// The functions that keep tiles in shared memory or multiply them by a tiled MMA.
fn of_functions(analysis: &Analysis) -> Vec<Kernel> {
    let mut bodies: Vec<Body<'_>> = Vec::new();
    for fact in &analysis.facts {
        let Some(function) = fact.function.as_deref() else {
            continue;
        };
        let instance = fact.instance.as_deref();
        match bodies
            .iter_mut()
            .find(|body| body.function == function && body.instance == instance)
        {
            Some(body) => body.facts.push(fact),
            None => bodies.push(Body {
                analysis,
                function,
                instance,
                facts: vec![fact],
                notes: analysis
                    .notes
                    .iter()
                    .filter(|note| note.function.as_deref() == Some(function))
                    .filter(|note| note.instance.as_deref() == instance)
                    .collect(),
                budget: analysis.budgets.iter().find(|budget| {
                    budget.function == function && budget.instance.as_deref() == instance
                }),
            }),
        }
    }
    bodies.iter().filter_map(of_body).collect()
}

fn of_body(body: &Body<'_>) -> Option<Kernel> {
    let is_shared = |fact: &&Fact| in_space(fact, Space::Shared).is_some();
    let multiplies = |fact: &&Fact| matches!(*fact.value, Value::ThrMma(_));
    if !body
        .facts
        .iter()
        .any(|fact| is_shared(fact) || multiplies(fact))
    {
        return None;
    }
    let mut path = Vec::new();
    path.extend(tensors(body, "gmem", Space::Coordinates));
    path.extend(tensors(body, "gmem", Space::Global));
    path.extend(body_copies(body));
    path.extend(issued(body, "copy", fills_shared_memory));
    path.extend(tensors(body, "smem", Space::Shared));
    path.extend(body_products(body));
    path.extend(issued(body, "mma", |cost| matches!(cost, Cost::Mma(_))));
    path.extend(accumulators(body));
    path.extend(issued(body, "epilogue", leaves));
    path.extend(taken(body));
    let span = body.facts.first()?.span;
    (!path.is_empty()).then(|| Kernel {
        name: body.function.to_owned(),
        span,
        instance: body.instance.map(str::to_owned),
        kind: "function",
        path,
    })
}

fn in_space(fact: &Fact, space: Space) -> Option<&Tensor> {
    match &*fact.value {
        Value::Tensor(tensor) if tensor.engine.space == space => Some(tensor),
        _ => None,
    }
}

/// The accumulators of a function: the last operands of its `gemm` calls, or where no product is known the tensors that
/// are made for it.
fn accumulators(body: &Body<'_>) -> Vec<Step> {
    let has_note = |fact: &Fact, wanted: &dyn Fn(&Cost) -> bool| {
        let mut notes = body.notes.iter();
        notes.any(|note| note.anchor == fact.name_span && wanted(&note.cost))
    };
    let of_spaces = |wanted: &dyn Fn(&Cost) -> bool| -> Vec<Step> {
        [Space::TensorMemory, Space::Registers]
            .into_iter()
            .flat_map(|space| {
                tensors_where(body, "accumulator", space, |fact| has_note(fact, wanted))
            })
            .collect()
    };
    let added_to = of_spaces(&|cost| matches!(cost, Cost::Mma(_)));
    if added_to.is_empty() {
        return of_spaces(&|cost| matches!(cost, Cost::Accumulator(kept) if kept.is_of_product));
    }
    added_to
}

/// The instructions of the calls of one kind: each sentence once, with the number of calls.
fn issued(body: &Body<'_>, at: &'static str, wanted: impl Fn(&Cost) -> bool) -> Vec<Step> {
    let mut sentences: Vec<(String, i64)> = Vec::new();
    for note in &body.notes {
        // A note on a call is shown at its variable, too.
        let is_call = !body.facts.iter().any(|fact| fact.name_span == note.anchor);
        if !is_call || !wanted(&note.cost) {
            continue;
        }
        for sentence in cost::lines_of(&note.cost) {
            match sentences.iter_mut().find(|(known, _)| *known == sentence) {
                Some((_, calls)) => *calls += 1,
                None => sentences.push((sentence, 1)),
            }
        }
    }
    sentences.truncate(MOST_STEPS);
    sentences
        .into_iter()
        .map(|(sentence, calls)| {
            let text = format!("{} of {sentence}", counted(calls, "call", "calls"));
            step(at, None, text, None)
        })
        .collect()
}

fn fills_shared_memory(cost: &Cost) -> bool {
    match cost {
        Cost::Tma(count) => count.is_load,
        Cost::Copy(count) => count.to == Space::Shared && count.from != Space::Registers,
        _ => false,
    }
}

/// Whether a copy takes a result out of tensor memory, or writes it to global memory.
fn leaves(cost: &Cost) -> bool {
    match cost {
        Cost::Tma(count) => !count.is_load,
        Cost::Copy(count) => count.to == Space::Global || count.from == Space::TensorMemory,
        _ => false,
    }
}

/// The resources of a multiprocessor that the kernel takes.
fn taken(body: &Body<'_>) -> Option<Step> {
    let budget = body.budget?;
    let text = cost::ledger(budget)?;
    Some(step("kernel", None, text, budget.shared_bytes()))
}

/// Whole tensors; of those in shared memory the parts that there are where a function is given them.
fn tensors(body: &Body<'_>, at: &'static str, space: Space) -> Vec<Step> {
    let whole = tensors_where(body, at, space, |fact| {
        !is_part(body, fact) && !names_coordinates(body, fact)
    });
    if whole.is_empty() && space == Space::Shared {
        return tensors_where(body, at, space, |_| true);
    }
    whole
}

/// Whether a tensor is made of another one of the function: a tile, the part of a thread, another view.
fn is_part(body: &Body<'_>, fact: &Fact) -> bool {
    let mut used = body.analysis.declarations_used_in(fact.span);
    used.any(|declared| {
        let mut others = body.facts.iter();
        declared != fact.name_span
            && others.any(|other| {
                other.name_span == declared && matches!(*other.value, Value::Tensor(_))
            })
    })
}

/// Whether a tensor is made of coordinates to compare them with bounds, rather than for TMA.
fn names_coordinates(body: &Body<'_>, fact: &Fact) -> bool {
    let mut words = body.analysis.words().iter();
    words.any(|word| {
        fact.span.encloses(word.span)
            && matches!(word.kind, WordKind::Function("make_identity_tensor"))
    })
}

fn tensors_where(
    body: &Body<'_>,
    at: &'static str,
    space: Space,
    wanted: impl Fn(&Fact) -> bool,
) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for fact in &body.facts {
        let Some(tensor) = in_space(fact, space) else {
            continue;
        };
        let is_wanted = wanted(fact);
        if !is_wanted
            || steps
                .iter()
                .any(|step| step.name.as_deref() == Some(&fact.name))
        {
            continue;
        }
        let text = described(tensor, body.analysis.dialect);
        steps.push(step(at, Some(&fact.name), text, bytes(tensor)));
    }
    steps.truncate(MOST_STEPS);
    steps
}

fn described(tensor: &Tensor, dialect: Dialect) -> String {
    let element = tensor
        .engine
        .element
        .as_ref()
        .map(|element| format!("{} ", dialect.element(element)))
        .unwrap_or_default();
    let swizzle = tensor
        .engine
        .swizzle
        .filter(|swizzle| !swizzle.is_identity())
        .map(|swizzle| format!(" under {}", dialect.swizzle(swizzle)))
        .unwrap_or_default();
    let size = bytes(tensor)
        .map(|bytes| format!(" = {} B", grouped(bytes)))
        .unwrap_or_default();
    let layout = dialect.text(&tensor.layout_value());
    format!("{element}{layout}{swizzle}{size}")
}

/// The bytes from the first element to the last, where all of the layout is known to the compiler.
fn bytes(tensor: &Tensor) -> Option<i64> {
    let layout = tensor.layout_value();
    if !layout.is_static() || tensor.engine.space == Space::TensorMemory {
        return None;
    }
    let cosize = match tensor.layout.as_affine() {
        Some(layout) => layout.cosize().ok()?.value()?,
        None => tensor.layout.size().ok()?.value()?,
    };
    let bits = i64::from(tensor.engine.bits()?);
    Some((cosize * bits + 7) / 8)
}

fn body_copies(body: &Body<'_>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for fact in &body.facts {
        let text = match &*fact.value {
            Value::TiledCopy(copy) => tiled_copy(copy),
            Value::ThrCopy(thread) => tiled_copy(&thread.copy),
            Value::CopyAtom(atom) => copy_atom(atom),
            _ => continue,
        };
        if steps.iter().all(|step| step.text != text) {
            steps.push(step("copy", Some(&fact.name), text, None));
        }
    }
    steps.truncate(MOST_STEPS);
    steps
}

fn tiled_copy(copy: &TiledCopy) -> String {
    let tile = copy
        .tile_shape()
        .map(|shape| format!(", tile {shape:#}"))
        .unwrap_or_default();
    let threads = copy
        .size()
        .map(|size| format!(", {size:#} threads"))
        .unwrap_or_default();
    format!("{}{tile}{threads}", copy_atom(copy.atom()))
}

/// The operation, with the bytes of one instruction where TMA moves them.
fn copy_atom(atom: &ValueCopyAtom) -> String {
    let name = match TemplateId::parse_list(&atom.atom.name).as_deref() {
        Ok([operation, ..]) => operation.to_string(),
        _ => atom.atom.name.clone(),
    };
    let values = atom
        .tma_strides
        .as_ref()
        .and_then(|_| atom.source.mode(1).ok()?.size().ok()?.value());
    match values {
        Some(values) => {
            let bytes = (values * atom.value_bits + 7) / 8;
            format!("{name}, {} B an instruction", grouped(bytes))
        }
        None => name,
    }
}

fn body_products(body: &Body<'_>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for fact in &body.facts {
        let mma = match &*fact.value {
            Value::TiledMma(mma) => mma,
            Value::ThrMma(thread) => &thread.mma,
            _ => continue,
        };
        let text = tiled_mma(mma);
        if steps.iter().all(|step| step.text != text) {
            steps.push(step("mma", Some(&fact.name), text, None));
        }
    }
    steps.truncate(MOST_STEPS);
    steps
}

fn tiled_mma(mma: &TiledMma) -> String {
    let [m, n, k] = mma.atom().shape_mnk();
    let tile = mma
        .tile_shape()
        .map(|shape| format!(", tile {shape:#}"))
        .unwrap_or_default();
    // One thread of a CTA issues `tcgen05.mma`; the count is that of the CTAs of one.
    let (unit, units) = if mma.atom().tcgen05.is_some() {
        ("CTA", "CTAs")
    } else {
        ("thread", "threads")
    };
    let threads = mma
        .size()
        .map(|size| match size.value() {
            Some(count) => format!(", {}", counted(count, unit, units)),
            None => format!(", {size:#} {units}"),
        })
        .unwrap_or_default();
    let name = mma
        .atom()
        .name
        .split_once('<')
        .map_or(&*mma.atom().name, |(name, _)| name);
    format!("{name}, m{m}n{n}k{k}{tile}{threads}")
}
