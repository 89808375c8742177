//! Extents of arrays that a call deduces: `N` of `T (&values)[N]` ([temp.deduct.call]).

use cute_algebra::Int;
use tree_sitter_cute::tree::{Expr, ExprKind, Reference};

use super::given::Given;
use super::store::{Content, Followed, Stop};
use crate::interpret::deduction::position;
use crate::interpret::overloads::Candidate;
use crate::value::Value;

/// Binds the parameters of a template that are extents of arrays which are taken by reference. Stops where an argument
/// is an array of another extent, or where its extent is not known.
pub(super) fn deduce_extents(chosen: &mut Candidate<'_>, given: &[Given<'_>]) -> Followed<()> {
    let function = chosen.function;
    for (param, given) in function.params.iter().zip(given) {
        let Some(extent) = param.ty.as_ref().and_then(extent_of) else {
            continue;
        };
        if param.reference == Reference::None {
            continue;
        }
        let Content::Array(items) = &given.content else {
            return Err(Stop);
        };
        let count = i64::try_from(items.len()).map_err(|_| Stop)?;
        if let ExprKind::Int(written) = &extent.kind {
            if *written != count {
                return Err(Stop);
            }
            continue;
        }
        let place = extent.as_plain_name();
        let Some(place) = place.and_then(|name| position(&function.tparams, name)) else {
            continue;
        };
        let slot = chosen.bound.tparams.get_mut(place).ok_or(Stop)?;
        match slot {
            Value::Nothing => *slot = Value::Int(Int::dynamic(count)),
            Value::Int(known) if known.value() == Some(count) => {}
            _ => return Err(Stop),
        }
    }
    Ok(())
}

/// `N` of `T[N]` and `T const[N]`.
fn extent_of(ty: &Expr) -> Option<&Expr> {
    match &ty.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => extent_of(inner),
        ExprKind::Array(_, extent) => extent.as_deref(),
        _ => None,
    }
}
