//! Tensors in global memory of which two modes overlap by their symbols: `(m,k):(1,k)` wants m to be at most k.

use std::collections::BTreeMap;
use std::sync::Arc;

use cute_algebra::{Delta, Expression, Int};
use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span};

use super::sizes::Given;
use super::{Costs, Seen};
use crate::finding::{Finding, Number, Related, Severity};
use crate::tensor::{Space, Tensor};
use crate::trace::{ActionKind, Launch};
use crate::value::Value;
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "overlapping-modes";
/// The extents of the mode with the stride that is too small, and of the other one: the first pair that the launch does
/// not exclude, `m % 256 == 0`.
const FEW_AND_MANY: [(i64, i64); 3] = [(64, 128), (256, 512), (3_072, 6_144)];

/// Looks at all tensors in global memory that a function makes.
pub(super) fn judge(seen: &Seen<'_, '_>, costs: &mut Costs) {
    let (Some(first), Some(last)) = (seen.run.body().first(), seen.run.body().last()) else {
        return;
    };
    let body = first.span.to(last.span);
    let mut found: Vec<Finding> = Vec::new();
    let facts = seen.output.facts.iter();
    for fact in facts.filter(|fact| body.encloses(fact.name_span)) {
        let Value::Tensor(tensor) = &*fact.value else {
            continue;
        };
        let is_own = fact.instance.as_deref() == seen.run.instance.as_deref();
        if is_own && may_be_global(tensor) {
            let made = seen.initialiser(fact.name_span);
            found.extend(made.and_then(|made| of_tensor(seen, tensor, made.span, fact.name_span)));
        }
    }
    // Of a tensor that is divided where it is made.
    for tile in seen.run.reached(ActionKind::LocalTile) {
        if let (Some(made), Some(Value::Tensor(tensor))) = (tile.args.first(), tile.values.first())
            && seen.variable(made).is_none()
            && may_be_global(tensor)
        {
            found.extend(of_tensor(seen, tensor, made.span, made.span));
        }
    }
    for finding in found {
        let is_known = |known: &Finding| known.rule == RULE && known.span == finding.span;
        if !costs.findings.iter().any(is_known) {
            costs.findings.push(finding);
        }
    }
}

fn may_be_global(tensor: &Tensor) -> bool {
    tensor.engine.is_generic() || tensor.engine.space == Space::Global
}

fn of_tensor(seen: &Seen<'_, '_>, tensor: &Tensor, made: Span, name: Span) -> Option<Finding> {
    of_two_modes(seen, tensor, made, name).or_else(|| of_products(seen, tensor, made, name))
}

/// One mode has its own extent as its stride.
fn of_two_modes(seen: &Seen<'_, '_>, tensor: &Tensor, made: Span, name: Span) -> Option<Finding> {
    let ((contiguous, strided), (few, many)) = if seen.run.is_kernel() {
        let mut launches = seen.run.launches.iter();
        launches.find_map(|launch| at_launch(seen, launch, tensor))?
    } else {
        let pair = overlap(tensor, &|int| Some(int.clone()))?;
        if compares(seen, &pair.0, &pair.1) {
            return None;
        }
        (pair, *FEW_AND_MANY.first()?)
    };
    let (first, second) = coordinates(tensor, few)?;
    let message = format!(
        "{contiguous} = {many}, {strided} = {few}: elements {first} and {second} share an address"
    );
    Some(Finding {
        numbers: vec![
            ("contiguous".to_owned(), Number::Integer(many)),
            ("strided".to_owned(), Number::Integer(few)),
        ],
        related: vec![Related {
            span: name,
            message: format!("its layout is {:#}", tensor.layout_value()),
        }],
        ..seen.finding(RULE, Severity::Warning, made, message)
    })
}

/// The strides are products of the extents, and of wrong ones: `(b,m,n):(n*n,n,1)`.
fn of_products(seen: &Seen<'_, '_>, tensor: &Tensor, made: Span, name: Span) -> Option<Finding> {
    let launches: Vec<Option<&Launch>> = if seen.run.is_kernel() {
        seen.run.launches.iter().map(Some).collect()
    } else {
        vec![None]
    };
    let (sizes, at) = launches.into_iter().find_map(|launch| {
        let given = launch.map(|launch| Given::of(seen, launch));
        let known_as = |int: &Int| match &given {
            Some(given) => given.on_host(int),
            None => Some(int.clone()),
        };
        let found = sizes_that_overlap(&modes_of(tensor, &known_as)?)?;
        let names: Vec<&str> = found.0.keys().map(|name| &**name).collect();
        let is_checked = names.iter().enumerate().any(|(place, one)| {
            let size = found.0.get(*one).copied().unwrap_or(0);
            let others = names.get(place + 1..).unwrap_or_default();
            match launch {
                Some(launch) => launch.held.iter().any(|held| {
                    held.may_exclude(one, size)
                        || others.iter().any(|other| held.relates(one, other))
                }),
                None => others.iter().any(|other| compares(seen, one, other)),
            }
        });
        (!is_checked).then_some(found)
    })?;
    let said: Vec<String> = sizes
        .iter()
        .map(|(name, size)| format!("{name} = {size}"))
        .collect();
    let said = said.join(", ");
    let (first, second) = at;
    let message = format!("{said}: elements {first} and {second} share an address");
    Some(Finding {
        numbers: vec![("sizes".to_owned(), Number::Text(said))],
        related: vec![Related {
            span: name,
            message: format!("its layout is {:#}", tensor.layout_value()),
        }],
        ..seen.finding(RULE, Severity::Warning, made, message)
    })
}

/// Extents and strides of all modes.
fn modes_of(tensor: &Tensor, known_as: &dyn Fn(&Int) -> Option<Int>) -> Option<Vec<(Int, Int)>> {
    let layout = tensor.layout.as_affine()?;
    let mut modes: Vec<(Int, Int)> = Vec::new();
    for (extent, stride) in layout.shape().leaves().iter().zip(layout.stride().leaves()) {
        let Delta::Int(stride) = stride else {
            return None;
        };
        modes.push((known_as(extent)?, known_as(stride)?));
    }
    Some(modes)
}

/// Numbers for symbols.
type Sizes = BTreeMap<Arc<str>, i64>;

/// Sizes for which two elements share an address, where with other sizes none do: the coordinates of the two. Nothing
/// where a stride has another symbol than the extents, is 0, or is that of another mode: windows may overlap on purpose.
fn sizes_that_overlap(modes: &[(Int, Int)]) -> Option<(Sizes, (String, String))> {
    let mut symbols: Vec<Arc<str>> = Vec::new();
    for (extent, _) in modes {
        match extent.value() {
            Some(_) => {}
            None => symbols.push(only_symbol(extent)?.into()),
        }
    }
    symbols.sort();
    symbols.dedup();
    let of_extents = |stride: &Int| {
        let own = stride.as_expression().map(Expression::symbols);
        own.is_none_or(|own| own.iter().all(|symbol| symbols.contains(symbol)))
    };
    let is_plain = modes.iter().enumerate().all(|(place, (_, stride))| {
        let mut others = modes.iter().skip(place + 1);
        of_extents(stride)
            && stride.value() != Some(0)
            && others.all(|(_, other)| other.to_string() != stride.to_string())
    });
    if !is_plain || !(2..=TRIED.len()).contains(&symbols.len()) {
        return None;
    }
    let mut overlapping = None;
    let mut is_right_once = false;
    for order in orders(symbols.len()) {
        let sizes: Sizes = symbols
            .iter()
            .cloned()
            .zip(order.iter().filter_map(|place| TRIED.get(*place).copied()))
            .collect();
        let numbers: Option<Vec<(i64, i64)>> = modes
            .iter()
            .map(|(extent, stride)| Some((number(extent, &sizes)?, number(stride, &sizes)?)))
            .collect();
        match meeting(&numbers?) {
            Some(found) if overlapping.is_none() => overlapping = Some((sizes, found)),
            Some(_) => {}
            None => is_right_once = true,
        }
    }
    overlapping.filter(|_| is_right_once)
}

/// Sizes that are tried in all orders.
const TRIED: [i64; 4] = [64, 128, 256, 512];

/// All orders of a number of things.
fn orders(count: usize) -> Vec<Vec<usize>> {
    (0..count).fold(vec![Vec::new()], |all, _| {
        let longer = all.into_iter().flat_map(|order: Vec<usize>| {
            let rest = (0..count)
                .filter(|place| !order.contains(place))
                .collect::<Vec<_>>();
            rest.into_iter().map(move |place| {
                let mut longer = order.clone();
                longer.push(place);
                longer
            })
        });
        longer.collect()
    })
}

fn number(int: &Int, sizes: &Sizes) -> Option<i64> {
    if let Some(value) = int.value() {
        return Some(value);
    }
    let known = |name: &str| sizes.get(name).map(|size| Expression::known(*size));
    int.as_expression()?.substitute(&known)?.as_known()
}

/// Two coordinates with one offset: one step along a mode, and steps along modes with smaller strides.
fn meeting(modes: &[(i64, i64)]) -> Option<(String, String)> {
    let mut places: Vec<usize> = (0..modes.len()).collect();
    places.sort_by_key(|place| modes.get(*place).map_or(0, |(_, stride)| -*stride));
    for (rank, place) in places.iter().enumerate() {
        let (extent, stride) = *modes.get(*place)?;
        if extent < 2 || stride < 1 {
            continue;
        }
        let mut rest = stride;
        let mut steps = vec![0; modes.len()];
        for other in places.iter().skip(rank + 1) {
            let (extent, stride) = *modes.get(*other)?;
            if stride > 0 {
                let taken = (rest / stride).min(extent - 1);
                *steps.get_mut(*other)? = taken;
                rest -= taken * stride;
            }
        }
        if rest == 0 {
            let mut one = vec![0; modes.len()];
            *one.get_mut(*place)? = 1;
            let said = |steps: &[i64]| {
                let parts: Vec<String> = steps.iter().map(i64::to_string).collect();
                format!("({})", parts.join(","))
            };
            return Some((said(&one), said(&steps)));
        }
    }
    None
}

/// The coordinates of the two elements: `few` along the contiguous mode, and one step along the other one.
fn coordinates(tensor: &Tensor, few: i64) -> Option<(String, String)> {
    let layout = tensor.layout.as_affine()?;
    let stride = layout.stride();
    let is_contiguous =
        |stride: &Delta| matches!(stride, Delta::Int(stride) if stride.value() == Some(1));
    let leaves = stride.leaves();
    let contiguous = leaves.iter().position(is_contiguous)?;
    let other = leaves.iter().position(|stride| !is_contiguous(stride))?;
    let at = |place: usize, value: i64| {
        let parts = (0..leaves.len()).map(|index| if index == place { value } else { 0 });
        let parts: Vec<String> = parts.map(|part| part.to_string()).collect();
        format!("({})", parts.join(","))
    };
    Some((at(contiguous, few), at(other, 1)))
}

/// The extent of the contiguous mode of a tensor, and that of a mode which has its own extent as its stride: both are
/// symbols.
fn overlap(tensor: &Tensor, known_as: &dyn Fn(&Int) -> Option<Int>) -> Option<(String, String)> {
    let layout = tensor.layout.as_affine()?;
    let (shape, stride) = (layout.shape(), layout.stride());
    let mut modes: Vec<(Int, Int)> = Vec::new();
    for (extent, stride) in shape.leaves().iter().zip(stride.leaves()) {
        let Delta::Int(stride) = stride else {
            return None;
        };
        modes.push((known_as(extent)?, known_as(stride)?));
    }
    let (contiguous, _) = modes.iter().find(|(_, stride)| stride.value() == Some(1))?;
    let (strided, _) = modes.iter().find(|(extent, stride)| {
        only_symbol(extent).is_some() && only_symbol(extent) == only_symbol(stride)
    })?;
    let (contiguous, strided) = (only_symbol(contiguous)?, only_symbol(strided)?);
    (contiguous != strided).then_some((contiguous, strided))
}

/// The symbols of the extents, and sizes that the launch may have.
fn at_launch(
    seen: &Seen<'_, '_>,
    launch: &Launch,
    tensor: &Tensor,
) -> Option<((String, String), (i64, i64))> {
    let given = Given::of(seen, launch);
    let pair = overlap(tensor, &|int| given.on_host(int))?;
    let (contiguous, strided) = &pair;
    let may_be = |(few, many): &(i64, i64)| {
        !launch.held.iter().any(|held| {
            held.relates(contiguous, strided)
                || held.may_exclude(contiguous, *many)
                || held.may_exclude(strided, *few)
        })
    };
    let sizes = FEW_AND_MANY.into_iter().find(may_be)?;
    Some((pair, sizes))
}

fn only_symbol(int: &Int) -> Option<String> {
    let symbols = int.as_expression()?.symbols();
    match symbols.as_slice() {
        [only] if int.to_string() == **only => Some(only.to_string()),
        _ => None,
    }
}

/// Whether a function compares two of its numbers.
fn compares(seen: &Seen<'_, '_>, one: &str, other: &str) -> bool {
    let mut found = one == other;
    walk::expressions(seen.run.body(), &mut |expr| {
        if let ExprKind::Binary(
            BinaryOp::Eq | BinaryOp::Ne | BinaryOp::Lt | BinaryOp::Le | BinaryOp::Gt | BinaryOp::Ge,
            left,
            right,
        ) = &expr.kind
        {
            let names = |name: &str| names(left, name) || names(right, name);
            found |= names(one) || names(other);
        }
    });
    found
}

fn names(expr: &Expr, name: &str) -> bool {
    let mut found = false;
    walk::subexpressions(expr, &mut |part| {
        found |= part.as_plain_name() == Some(name);
    });
    found
}
