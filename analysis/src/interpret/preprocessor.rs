//! Which branches of `#if` are compiled, as far as the macros that are in sight say.

use tree_sitter_cute::tree::{BinaryOp, Branch, Condition, Expr, ExprKind, ItemKind, UnaryOp};

use super::program::Program;
use crate::walk;

/// The macro that says for which architecture device code is compiled: 900 is `sm_90`.
const ARCHITECTURE: &str = "__CUDA_ARCH__";

/// Releases of the CUDA toolkit that are taken for possible where none is given: a condition on the
/// release is decided where it is the same for all.
const TOOLKITS: &[(i64, i64)] = &[(12, 4), (12, 9), (13, 0)];

/// The oldest architecture that is taken for possible where none is given.
const OLDEST: i64 = 900;

impl Program<'_> {
    /// The branches of an `#if` that may be compiled: one when the conditions are known, else all
    /// that are not known to be skipped.
    pub(super) fn compiled_branches<'b>(&self, branches: &'b [Branch]) -> Vec<&'b Branch> {
        self.compiled_branches_where(branches, &[])
    }

    /// The same behind `#define`s of some macros, each of which may itself not be compiled.
    pub(super) fn compiled_branches_where<'b>(
        &self,
        branches: &'b [Branch],
        may_be_defined: &[&str],
    ) -> Vec<&'b Branch> {
        let mut possible = Vec::new();
        for branch in branches {
            match self.holds(branch, may_be_defined) {
                Some(false) => {}
                Some(true) => {
                    possible.push(branch);
                    break;
                }
                None => possible.push(branch),
            }
        }
        possible
    }

    /// Whether a branch that is reached is surely compiled.
    pub(super) fn is_compiled(&self, branch: &Branch, may_be_defined: &[&str]) -> bool {
        self.holds(branch, may_be_defined) == Some(true)
    }

    /// Whether a branch that may be compiled may be skipped as well: what an include guard guards is not.
    pub(super) fn may_be_skipped(&self, branch: &Branch) -> bool {
        !guards_itself(branch) && !self.is_compiled(branch, &[])
    }

    fn holds(&self, branch: &Branch, may_be_defined: &[&str]) -> Option<bool> {
        let is_open = |name: &&str| asks_for(&branch.condition, name);
        if may_be_defined.iter().any(is_open) {
            None
        } else {
            self.condition(&branch.condition)
        }
    }

    fn condition(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::Else => Some(true),
            Condition::Defined(name) => self.is_defined(&name.name),
            Condition::NotDefined(name) => self.is_defined(&name.name).map(|defined| !defined),
            Condition::If(expr) => {
                let mut answers = TOOLKITS.iter().map(|toolkit| {
                    self.preprocessor_value(expr, *toolkit)
                        .map(|value| value != 0)
                });
                let first = answers.next()??;
                answers.all(|answer| answer == Some(first)).then_some(first)
            }
        }
    }

    /// Whether a macro is defined. One that nothing in sight defines is not, except where whoever
    /// would define it is not read: the compiler and the libraries.
    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        if self.macros.is_in_doubt(name) {
            return None;
        }
        if self.macros.has(name) || matches!(name, "__CUDACC__" | "__cplusplus" | ARCHITECTURE) {
            return Some(true);
        }
        let elsewhere = ["_", "CUDA", "CUTE_", "CUTLASS_"];
        let may_be = elsewhere.iter().any(|prefix| name.starts_with(prefix));
        (!may_be && self.is_of(tree_sitter_cute::Host::CudaCpp)).then_some(false)
    }

    /// The number that a macro stands for.
    pub(super) fn macro_number(&self, name: &str) -> Option<i64> {
        match &self.macros.replacement(name)?.kind {
            ExprKind::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// What `__CUDA_ARCH__` is compared with says where no architecture is given: every one from
    /// [`OLDEST`] on is possible.
    fn comparison_with_architecture(&self, op: BinaryOp, left: &Expr, right: i64) -> Option<i64> {
        if left.as_plain_name() != Some(ARCHITECTURE) || self.macros.has(ARCHITECTURE) {
            return None;
        }
        let truth = match op {
            BinaryOp::Ge if right <= OLDEST => true,
            BinaryOp::Lt if right <= OLDEST => false,
            BinaryOp::Le | BinaryOp::Eq if right < OLDEST => false,
            BinaryOp::Gt | BinaryOp::Ne if right < OLDEST => true,
            _ => return None,
        };
        Some(i64::from(truth))
    }

    /// The value of an expression behind `#if`.
    fn preprocessor_value(&self, expr: &Expr, toolkit: (i64, i64)) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some(i64::from(*value)),
            ExprKind::Name(_) => {
                let name = expr.as_plain_name()?;
                match self.macros.replacement(name) {
                    _ if self.macros.is_in_doubt(name) => None,
                    Some(value) => match value.kind {
                        ExprKind::Int(value) => Some(value),
                        _ => None,
                    },
                    None if self.macros.has(name) => None,
                    None if name == "__CUDACC_VER_MAJOR__" => Some(toolkit.0),
                    None if name == "__CUDACC_VER_MINOR__" => Some(toolkit.1),
                    None => (self.is_defined(name) == Some(false)).then_some(0),
                }
            }
            ExprKind::Call(callee, args) if callee.as_plain_name() == Some("defined") => self
                .is_defined(args.first()?.as_plain_name()?)
                .map(i64::from),
            ExprKind::Unary(UnaryOp::Not, operand) => self
                .preprocessor_value(operand, toolkit)
                .map(|value| i64::from(value == 0)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                match (
                    self.preprocessor_value(left, toolkit),
                    self.preprocessor_value(right, toolkit),
                ) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(_), Some(_)) => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                match (
                    self.preprocessor_value(left, toolkit),
                    self.preprocessor_value(right, toolkit),
                ) {
                    (Some(0), Some(0)) => Some(0),
                    (Some(value), _) | (_, Some(value)) if value != 0 => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(op, left, right) => {
                let right = self.preprocessor_value(right, toolkit)?;
                if let Some(answer) = self.comparison_with_architecture(*op, left, right) {
                    return Some(answer);
                }
                let left = self.preprocessor_value(left, toolkit)?;
                match op {
                    BinaryOp::Eq => Some(i64::from(left == right)),
                    BinaryOp::Ne => Some(i64::from(left != right)),
                    BinaryOp::Lt => Some(i64::from(left < right)),
                    BinaryOp::Le => Some(i64::from(left <= right)),
                    BinaryOp::Gt => Some(i64::from(left > right)),
                    BinaryOp::Ge => Some(i64::from(left >= right)),
                    _ => None,
                }
            }
            _ => None,
        }
    }
}

/// Whether a branch defines the macro whose absence lets it be compiled, as an include guard does: behind it the macro
/// is defined either way.
pub(super) fn guards_itself(branch: &Branch) -> bool {
    let Condition::NotDefined(guard) = &branch.condition else {
        return false;
    };
    let mut directives = branch.items.iter().map(|item| &item.kind);
    directives
        .any(|kind| matches!(kind, ItemKind::Define(define) if define.name.name == guard.name))
}

/// Whether a condition depends on a macro.
fn asks_for(condition: &Condition, name: &str) -> bool {
    match condition {
        Condition::Defined(asked) | Condition::NotDefined(asked) => asked.name == name,
        Condition::If(expr) => {
            let mut asks = false;
            walk::subexpressions(expr, &mut |part| asks |= part.as_plain_name() == Some(name));
            asks
        }
        Condition::Else => false,
    }
}
