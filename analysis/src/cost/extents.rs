//! Extents of tensors laid on shared memory, against the available bytes.

use cute_hardware::multiprocessor::SHARED_WITHOUT_ATTRIBUTE;
use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, Span};

use super::{Costs, Seen, configured};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::Tensor;
use crate::trace::{Action, ActionKind, Address, Base, Extent, Launch, SharedObject};
use crate::value::Value;
use crate::vocabulary::number;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "smem-extent";

/// Bits of a byte.
const BYTE: i64 = 8;

/// A tensor that is laid on a known place of shared memory.
struct View<'s, 'u> {
    action: &'s Action<'u>,
    address: &'s Address,
    /// Bits behind its last element, from the base of its address.
    end: i64,
    /// Bits of an element.
    element: i64,
}

/// Looks for tensors that are larger than their memory, and launches with too few bytes.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let views: Vec<View<'_, '_>> = seen
        .run
        .reached(ActionKind::Lay)
        .filter(|action| !action.is_uncertain)
        .filter_map(view)
        .collect();
    let beyond = views.iter().filter_map(|view| beyond_its_array(seen, view));
    costs.findings.extend(beyond);
    if seen.run.is_kernel() {
        for launch in &seen.run.launches {
            costs
                .findings
                .extend(launch_is_too_small(seen, &views, launch));
            // The DSL sets the attribute itself.
            if !seen.is_of_dsl {
                costs.findings.extend(launch_needs_attribute(seen, launch));
            }
        }
    }
}

/// The extent of a tensor, where all of it is known.
fn view<'s, 'u>(action: &'s Action<'u>) -> Option<View<'s, 'u>> {
    let (Value::Tensor(tensor), Some(address)) = (&action.result, &action.address) else {
        return None;
    };
    let element = i64::from(tensor.engine.bits()?);
    let bits = elements(tensor)?.checked_mul(element)?;
    Some(View {
        action,
        address,
        end: address.start.checked_add(bits)?,
        element,
    })
}

/// The elements from the first to the last that a tensor reaches.
pub(super) fn elements(tensor: &Tensor) -> Option<i64> {
    let cosize = tensor.layout.domain().cosize().ok()?.value()?;
    // A swizzle permutes whole blocks: where all of them are full, the last one stays the last.
    let is_swizzled = tensor.engine.swizzle.is_some() || tensor.layout.as_affine().is_none();
    let is_full = || super::counts::size(tensor) == Some(cosize);
    (!is_swizzled || is_full()).then_some(cosize)
}

/// A tensor that is larger than the array or member that it is laid on.
fn beyond_its_array(seen: &Seen<'_, '_>, view: &View<'_, '_>) -> Option<Finding> {
    let within = view.address.within.as_ref()?;
    let there = within.start.checked_add(within.bits)?;
    // A member without elements is one that a configuration leaves out: it has no byte, or the one of an empty class.
    if view.end <= there || within.bits <= BYTE || is_chosen(seen, view.action.span()) {
        return None;
    }
    let (end, bytes) = (in_bytes(view.end - within.start), within.bits / BYTE);
    let message = format!(
        "the tensor ends at byte {end} of `{}`, which has only {bytes} bytes",
        within.name
    );
    Some(Finding {
        numbers: numbers(end, bytes),
        related: related(seen, within, bytes),
        ..seen.finding(RULE, Severity::Error, view.action.span(), message)
    })
}

/// Whether a tensor is one of several that a lambda returns: the others are what is used where this one only has their type.
fn is_chosen(seen: &Seen<'_, '_>, made: Span) -> bool {
    let mut is_chosen = false;
    for body in seen.bodies() {
        walk::expressions(body, &mut |expr| {
            let ExprKind::Lambda(lambda) = &expr.kind else {
                return;
            };
            if !expr.span.encloses(made) {
                return;
            }
            let mut returns = 0;
            walk::items(&lambda.body, &mut |item| {
                returns += usize::from(matches!(item.kind, ItemKind::Return(Some(_))));
            });
            is_chosen |= returns > 1;
        });
    }
    is_chosen
}

fn related(seen: &Seen<'_, '_>, within: &Extent, bytes: i64) -> Vec<Related> {
    let declared = within.span.filter(|span| seen.file.contains(*span));
    let related = declared.map(|span| Related {
        span,
        message: format!("`{}` has {bytes} bytes", within.name),
    });
    related.into_iter().collect()
}

/// A launch that gives fewer bytes of dynamic shared memory than the kernel uses.
fn launch_is_too_small(
    seen: &Seen<'_, '_>,
    views: &[View<'_, '_>],
    launch: &Launch,
) -> Option<Finding> {
    let given = number(&launch.bytes)?;
    let object = seen
        .run
        .shared
        .iter()
        .filter(|object| object.is_dynamic)
        .filter_map(|object| Some((end_of(object)?, object.span, None)));
    // A view beyond its member is a finding there.
    let dynamic = views.iter().filter(|view| {
        view.address.base == Base::Dynamic && beyond_its_array(seen, view).is_none()
    });
    let tensors = dynamic.map(|view| {
        let span = view.action.span();
        (in_bytes(view.end), span, Some(view.element))
    });
    let (end, span, element) = object.chain(tensors).max_by_key(|(end, ..)| *end)?;
    if end <= given {
        return None;
    }
    // 8,192 where 8,192 floats are.
    let counted = element
        .filter(|element| *element > BYTE && given.checked_mul(element / BYTE) == Some(end))
        .map(|element| format!(" (elements of {} bytes)", element / BYTE));
    let message = format!(
        "{end} bytes of dynamic shared memory are used, the launch gives {given}{}",
        counted.unwrap_or_default()
    );
    Some(Finding {
        numbers: numbers(end, given),
        related: configured::related(
            seen,
            launch,
            &launch.bytes,
            &format!("the launch gives {given} bytes"),
        ),
        ..seen.finding(RULE, Severity::Error, span, message)
    })
}

/// The bytes up to the end of the last member of an object.
fn end_of(object: &SharedObject) -> Option<i64> {
    let layout = object.layout.as_ref().ok()?;
    let ends = layout.parts.iter();
    let end = ends
        .map(|part| part.offset.saturating_add(part.size))
        .max()?;
    i64::try_from(end).ok()
}

/// A launch that asks for more than a kernel gets without `cudaFuncSetAttribute`.
fn launch_needs_attribute(seen: &Seen<'_, '_>, launch: &Launch) -> Option<Finding> {
    let bytes = number(&launch.bytes)?;
    if bytes <= SHARED_WITHOUT_ATTRIBUTE || !seen.file.contains(launch.span) {
        return None;
    }
    // Whoever else names the kernel may raise its limit.
    let kernel = seen.run.function.name.name.as_str();
    let mut named = 0_usize;
    let mut launched = 0_usize;
    walk::expressions(&seen.file.unit().items, &mut |expr| match &expr.kind {
        ExprKind::Name(_) if is_name(expr, kernel) => named += 1,
        ExprKind::Launch { callee, .. } if is_name(callee, kernel) => launched += 1,
        _ => {}
    });
    // A launch through a variable names it without launching it.
    if named != launched || launched == 0 || !seen.file.contains(seen.run.function.name.span) {
        return None;
    }
    let message = format!(
        "{bytes} dynamic bytes exceed the {SHARED_WITHOUT_ATTRIBUTE} without `cudaFuncSetAttribute`: the launch fails"
    );
    Some(Finding {
        numbers: numbers(bytes, SHARED_WITHOUT_ATTRIBUTE),
        related: vec![Related {
            span: seen.run.function.name.span,
            message: format!("no visible call raises the limit of `{kernel}`"),
        }],
        ..seen.finding(RULE, Severity::Error, launch.span, message)
    })
}

/// Whether an expression is the name of a function, with or without template arguments.
fn is_name(expr: &Expr, name: &str) -> bool {
    let segment = expr.as_path().and_then(|path| path.last());
    segment.is_some_and(|segment| segment.name.name == name)
}

fn numbers(end: i64, bytes: i64) -> Vec<(String, Number)> {
    vec![
        ("end".to_owned(), Number::Integer(end)),
        ("bytes".to_owned(), Number::Integer(bytes)),
    ]
}

/// Whole bytes for this number of bits.
fn in_bytes(bits: i64) -> i64 {
    bits / BYTE + i64::from(bits % BYTE != 0)
}
