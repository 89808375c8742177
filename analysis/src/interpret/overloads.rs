//! Which of several functions that can take the arguments of a call is called.

use tree_sitter_cute::tree::{Expr, ExprKind, Function};

use super::Interpreter;
use super::deduction::{Bound, position};
use super::frame::Frame;
use super::program::ModuleId;
use crate::limits;
use crate::reason::Reason;
use crate::value::Value;

/// A function that can take the arguments of a call.
pub(super) struct Candidate<'u> {
    pub(super) function: &'u Function,
    pub(super) bound: Bound,
    pub(super) module: ModuleId,
    /// The class instance whose method it is.
    pub(super) record: Option<usize>,
}

/// How much of an argument's type a declared parameter type fixes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    /// `T`.
    Anything,
    /// `T*`, `Layout<S, D>`.
    Form,
    /// A type without parameters of the template.
    Type,
}

impl<'u> Interpreter<'u> {
    /// The candidates, by position, of which one is called: conditions that do not hold leave some
    /// out, and those that fix more of the types of their parameters are preferred.
    pub(super) fn preferred(&mut self, candidates: &[Candidate<'u>]) -> Vec<usize> {
        let enabled: Vec<usize> = candidates
            .iter()
            .enumerate()
            .filter(|(_, candidate)| self.is_enabled(candidate))
            .map(|(index, _)| index)
            .collect();
        let ranks: Vec<Option<Vec<Rank>>> = candidates
            .iter()
            .map(|candidate| ranks(candidate.function))
            .collect();
        let is_better = |a: usize, b: usize| {
            let (Some(Some(a)), Some(Some(b))) = (ranks.get(a), ranks.get(b)) else {
                return false;
            };
            a.len() == b.len() && a != b && a.iter().zip(b).all(|(a, b)| a >= b)
        };
        let best = enabled
            .iter()
            .copied()
            .find(|a| enabled.iter().all(|b| a == b || is_better(*a, *b)));
        if let Some(best) = best {
            return vec![best];
        }
        // `f()` and `f() const` differ in what they may do with their object only.
        let changing: Vec<usize> = enabled
            .iter()
            .copied()
            .filter(|index| {
                candidates
                    .get(*index)
                    .is_some_and(|candidate| !candidate.function.flags.constant)
            })
            .collect();
        match changing.as_slice() {
            [only] if enabled.len() == 2 && same_parameters(candidates, &enabled) => vec![*only],
            _ => enabled,
        }
    }

    /// Whether no `enable_if` and no `requires` leaves a function out.
    fn is_enabled(&mut self, candidate: &Candidate<'u>) -> bool {
        let function = candidate.function;
        let mut frame = Frame::new(candidate.module, limits::STEPS_PER_INSTANCE);
        if let Some(record) = candidate.record {
            frame.scopes = self.record_scopes(record);
            frame.record = Some(record);
        }
        self.template_scope(&function.tparams, &candidate.bound.tparams, &mut frame);
        let is_out = |value: &Value| matches!(value, Value::Unknown(Reason::NotEnabled));
        // A parameter without a name is no variable of the scope.
        for (index, tparam) in function.tparams.iter().enumerate() {
            let given = candidate.bound.tparams.get(index);
            if let Some(default) = &tparam.default
                && matches!(given, None | Some(Value::Nothing))
                && is_out(&self.eval(default, &mut frame))
            {
                return false;
            }
            if let tree_sitter_cute::tree::TemplateParamKind::Value(ty) = &tparam.kind
                && is_out(&self.eval(ty, &mut frame))
            {
                return false;
            }
        }
        if let Some(ret) = &function.ret
            && is_out(&self.eval(ret, &mut frame))
        {
            return false;
        }
        match &function.requires {
            Some(requires) => self.eval(requires, &mut frame).as_truth() != Some(false),
            None => true,
        }
    }
}

/// Whether two candidates take the same types.
fn same_parameters(candidates: &[Candidate<'_>], enabled: &[usize]) -> bool {
    let taken: Vec<Option<Vec<Rank>>> = enabled
        .iter()
        .filter_map(|index| candidates.get(*index))
        .map(|candidate| ranks(candidate.function))
        .collect();
    matches!(taken.as_slice(), [Some(a), Some(b)] if a == b)
}

fn ranks(function: &Function) -> Option<Vec<Rank>> {
    function
        .params
        .iter()
        .map(|param| {
            if param.specifiers.pack {
                return Some(Rank::Anything);
            }
            rank(param.ty.as_ref()?, function)
        })
        .collect()
}

fn rank(ty: &Expr, function: &Function) -> Option<Rank> {
    Some(match &ty.kind {
        ExprKind::Const(inner) | ExprKind::Reference(inner, _) => return rank(inner, function),
        ExprKind::Auto => Rank::Anything,
        ExprKind::Name(path) => match path.segments.as_slice() {
            [only] if only.args.is_none() => {
                if position(&function.tparams, &only.name.name).is_some() {
                    Rank::Anything
                } else {
                    Rank::Type
                }
            }
            [.., last] if last.args.is_some() => Rank::Form,
            // `typename T::X` is compared with nothing.
            _ => return None,
        },
        ExprKind::Pointer(_) => Rank::Form,
        _ => return None,
    })
}
