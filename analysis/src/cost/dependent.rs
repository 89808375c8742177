//! Kernels that begin before the kernel before them has ended (programmatic dependent launch): reads of its results
//! before the wait for it.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Function, Item, ItemKind, Span, UnaryOp};

use super::called::{self, Called};
use super::{Costs, Seen, order};
use crate::cuda_functions::LOADS;
use crate::finding::{Finding, Number, Related, Severity};
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "grid-dependency";
/// Functions that wait for the kernel before (`griddepcontrol.wait`).
const WAITS: &[&str] = &["cudaGridDependencySynchronize", "wait_on_dependent_grids"];
/// Functions that let the kernel behind begin (`griddepcontrol.launch_dependents`).
const TRIGGERS: &[&str] = &[
    "cudaTriggerProgrammaticLaunchCompletion",
    "launch_dependent_grids",
];
/// The instruction that does so.
const INSTRUCTION: &str = "griddepcontrol.launch_dependents";
/// The attribute of a launch that begins early.
const ATTRIBUTE: &str = "cudaLaunchAttributeProgrammaticStreamSerialization";

/// A launch in a function of the host.
struct Launched<'u> {
    kernel: &'u str,
    arguments: &'u [Expr],
    /// Its stream, as it is written.
    stream: Option<String>,
    /// The configuration of `cudaLaunchKernelEx`.
    configuration: Option<String>,
    span: Span,
}

/// Looks at the launches of a kernel that begin early.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    if !seen.run.is_kernel() {
        return;
    }
    let mut found: Vec<Finding> = Vec::new();
    walk::items(&seen.file.unit().items, &mut |item| {
        if let ItemKind::Function(function) = &item.kind {
            let body = function.body.as_deref().unwrap_or_default();
            found.extend(early(seen, body));
        }
    });
    for finding in found {
        let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

/// Early reads of the kernel, as a function of the host launches it.
fn early(seen: &Seen<'_, '_>, body: &[Item]) -> Option<Finding> {
    let launches = launches(body);
    let (before, own) = launches.windows(2).find_map(|pair| match pair {
        [before, own] if own.kernel == seen.run.function.name.name => Some((before, own)),
        _ => None,
    })?;
    // A statement between the two may order them.
    let between = Span::new(before.span.end, own.span.start);
    let mut calls = called::calls(body).into_iter();
    if calls.any(|called| called.name != "dim3" && between.encloses(called.span())) {
        return None;
    }
    let (is_early, stream) = configured(body, own.configuration.as_ref()?);
    let stream_before = match &before.configuration {
        Some(configuration) => configured(body, configuration).1,
        None => before.stream.clone(),
    };
    if !is_early || stream_before != stream {
        return None;
    }
    let first = match seen.declared.functions(before.kernel) {
        [only] => *only,
        _ => return None,
    };
    let first_body = first.body.as_deref().unwrap_or_default();
    let trigger = trigger(seen, first_body)?;
    let (read, name, written) = shared(before, own).find_map(|(given, taken)| {
        let written = stored(first, given)?;
        let parameter = parameter(seen.run.function, taken)?;
        let read = first_read(seen, parameter)?;
        Some((read, parameter, written))
    })?;
    let start = seen.run.body().first()?.span.start;
    let in_front = Span::new(start, read.start);
    if order::may_call(seen, in_front, WAITS) || may_wait(seen, in_front) {
        return None;
    }
    let line = i64::try_from(seen.line(written)).ok()?;
    let message = format!(
        "{name} is read before griddepcontrol.wait: {} may still write it on line {line}",
        before.kernel
    );
    Some(Finding {
        numbers: vec![("line".to_owned(), Number::Integer(line))],
        related: vec![
            Related {
                span: written,
                message: "written here".to_owned(),
            },
            Related {
                span: trigger,
                message: "lets this kernel start".to_owned(),
            },
            Related {
                span: own.span,
                message: "launched here to start early".to_owned(),
            },
        ],
        ..seen.finding(RULE, Severity::Error, read, message)
    })
}

/// Whether a function is called in a piece of the kernel that may be the instruction: one with assembly, or a free function
/// that is called `wait`.
fn may_wait(seen: &Seen<'_, '_>, piece: Span) -> bool {
    let mut calls = called::calls(seen.run.body()).into_iter();
    calls.any(|called| {
        let mut has_assembly = false;
        for function in seen.declared.functions(called.name) {
            let body = function.body.as_deref().unwrap_or_default();
            walk::expressions(body, &mut |expr| has_assembly |= walk::is_assembly(expr));
        }
        piece.encloses(called.span())
            && called.object.is_none()
            && (has_assembly || called.name == "wait")
    })
}

/// The place at which a kernel lets the next one begin.
fn trigger(seen: &Seen<'_, '_>, body: &[Item]) -> Option<Span> {
    let mut found = None;
    walk::expressions(body, &mut |expr| {
        let is_call = Called::of(expr).is_some_and(|called| TRIGGERS.contains(&called.name));
        let is_helper = || {
            let called = Called::of(expr).filter(|called| called.object.is_none());
            called.is_some_and(|called| match seen.declared.functions(called.name) {
                [only] => has_trigger(seen, only.body.as_deref().unwrap_or_default()),
                _ => false,
            })
        };
        if found.is_none() && (is_call || is_instruction(seen, expr) || is_helper()) {
            found = Some(expr.span);
        }
    });
    found
}

fn is_instruction(seen: &Seen<'_, '_>, expr: &Expr) -> bool {
    walk::is_assembly(expr)
        && seen.file.contains(expr.span)
        && seen.written(expr.span).contains(INSTRUCTION)
}

/// Whether a function is the instruction, in no branch.
fn has_trigger(seen: &Seen<'_, '_>, body: &[Item]) -> bool {
    let mut found = false;
    for item in body {
        walk::own_subexpressions(item, &mut |expr| found |= is_instruction(seen, expr));
    }
    found
}

/// The launches of a function, in order; none where a branch or loop decides on one of them.
fn launches(body: &[Item]) -> Vec<Launched<'_>> {
    let mut found = Vec::new();
    for item in body {
        let in_front = found.len();
        walk::own_subexpressions(item, &mut |expr| found.extend(launched(expr)));
        let is_plain = matches!(item.kind, ItemKind::Expr(_) | ItemKind::Binding(_));
        let mut inside = 0;
        walk::expressions(std::slice::from_ref(item), &mut |expr| {
            inside += usize::from(launched(expr).is_some());
        });
        if !is_plain && inside > 0 || inside != found.len() - in_front {
            return Vec::new();
        }
    }
    found
}

/// `kernel<<<grid, block, bytes, stream>>>(..)`, `cudaLaunchKernelEx(&config, kernel, ..)`.
fn launched(expr: &Expr) -> Option<Launched<'_>> {
    if let ExprKind::Launch {
        callee,
        config,
        args,
    } = &expr.kind
    {
        return Some(Launched {
            kernel: &callee.as_path()?.last()?.name.name,
            arguments: args,
            stream: config.get(3).map(ToString::to_string),
            configuration: None,
            span: expr.span,
        });
    }
    let called = Called::of(expr).filter(|called| called.name == "cudaLaunchKernelEx")?;
    let [configuration, kernel, arguments @ ..] = called.args else {
        return None;
    };
    let ExprKind::Unary(UnaryOp::AddressOf, configuration) = &configuration.kind else {
        return None;
    };
    Some(Launched {
        kernel: &kernel.as_path()?.last()?.name.name,
        arguments,
        stream: None,
        configuration: Some(configuration.as_plain_name()?.to_owned()),
        span: expr.span,
    })
}

/// Whether a function lets launches begin early, and the stream of a configuration.
fn configured(body: &[Item], configuration: &str) -> (bool, Option<String>) {
    let mut has = false;
    let mut stream = None;
    walk::expressions(body, &mut |expr| {
        has |= expr
            .as_path()
            .and_then(|path| path.last())
            .is_some_and(|segment| segment.name.name == ATTRIBUTE);
        if let ExprKind::Assign(assignment) = &expr.kind
            && let ExprKind::Member { object, member, .. } = &assignment.target.kind
        {
            let is_its = object.as_plain_name() == Some(configuration);
            if member.name.name == "stream" && is_its {
                stream = Some(assignment.value.to_string());
            }
        }
    });
    (has, stream)
}

/// The arguments that are the same variable in two launches, by their places.
fn shared<'a>(
    before: &'a Launched<'_>,
    own: &'a Launched<'_>,
) -> impl Iterator<Item = (usize, usize)> + 'a {
    before
        .arguments
        .iter()
        .enumerate()
        .flat_map(|(given, one)| {
            let others = own.arguments.iter().enumerate();
            others.filter_map(move |(taken, other)| {
                let (one, other) = (
                    converted(one).as_plain_name(),
                    converted(other).as_plain_name(),
                );
                (one.is_some() && one == other).then_some((given, taken))
            })
        })
}

/// The expression that is cast: `p` of `(float const*)p`.
fn converted(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(_, _, inner) => converted(inner),
        _ => expr,
    }
}

/// The name of a parameter.
fn parameter(function: &Function, place: usize) -> Option<&str> {
    let parameter = function.params.get(place)?;
    Some(&parameter.name.as_ref()?.name)
}

/// A parameter, and the pointers that are made of it: `float* row = p + i`.
fn names_of<'u>(body: &'u [Item], name: &'u str) -> Vec<&'u str> {
    let mut found = vec![name];
    walk::items(body, &mut |item| {
        if let ItemKind::Binding(binding) = &item.kind
            && let (Some(own), Some(init)) = (&binding.name, &binding.init)
            && binding.ty.as_ref().is_some_and(walk::is_pointer_type)
            && pointer(init).is_some_and(|of| found.contains(&of))
        {
            found.push(&own.name);
        }
    });
    // Where one points later is not followed.
    walk::expressions(body, &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && assignment.op.is_none()
            && let Some(moved) = assignment.target.as_plain_name()
        {
            found.retain(|known| *known != moved);
        }
    });
    found
}

/// The pointer that an address is made of: `p` of `(float4 const*)p + i` and of `&p[i]`.
fn pointer(expr: &Expr) -> Option<&str> {
    match &expr.kind {
        ExprKind::Name(_) => expr.as_plain_name(),
        ExprKind::Cast(_, _, inner) => pointer(inner),
        ExprKind::Binary(BinaryOp::Add, of, _) => pointer(of),
        ExprKind::Unary(UnaryOp::AddressOf, inner) => match &inner.kind {
            ExprKind::Index(of, _) => pointer(of),
            _ => None,
        },
        _ => None,
    }
}

/// The place of a store through a parameter in a function: `p[i] = x`.
fn stored(function: &Function, place: usize) -> Option<Span> {
    let name = parameter(function, place)?;
    let body = function.body.as_deref().unwrap_or_default();
    let names = names_of(body, name);
    let mut found = None;
    walk::expressions(body, &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && is_element_of(&assignment.target, &names)
            && found.is_none()
        {
            found = Some(expr.span);
        }
    });
    found
}

/// `p[i]`, `*p`.
fn is_element_of(expr: &Expr, names: &[&str]) -> bool {
    let of = match &expr.kind {
        ExprKind::Index(array, _) => array,
        ExprKind::Unary(UnaryOp::Deref, pointer) => pointer,
        _ => return false,
    };
    pointer(of).is_some_and(|of| names.contains(&of))
}

/// The first element that the kernel reads of a parameter, in its own statements.
fn first_read(seen: &Seen<'_, '_>, name: &str) -> Option<Span> {
    let mut targets: Vec<Span> = Vec::new();
    let mut found: Option<Span> = None;
    let names = names_of(seen.run.body(), name);
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Assign(assignment) = &expr.kind
            && assignment.op.is_none()
        {
            targets.push(assignment.target.span);
        }
        // The address of an element reads nothing.
        if let ExprKind::Unary(UnaryOp::AddressOf, inner) = &expr.kind {
            targets.push(inner.span);
        }
        let loads = Called::of(expr).filter(|called| LOADS.contains(&called.name));
        let address = loads.and_then(|called| pointer(called.args.first()?));
        let is_load = address.is_some_and(|of| names.contains(&of));
        let is_element = is_element_of(expr, &names) && !targets.contains(&expr.span);
        if (is_load || is_element) && found.is_none() {
            found = Some(expr.span);
        }
    });
    found
}
