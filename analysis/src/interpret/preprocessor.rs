//! Which branches of `#if` are compiled, as far as the macros that are in sight say.

use tree_sitter_cute::tree::{BinaryOp, Branch, Condition, Expr, ExprKind, UnaryOp};

use super::program::Program;

impl Program<'_> {
    /// The branches of an `#if` that may be compiled: one when the conditions are known, else all
    /// that are not known to be skipped.
    pub(super) fn compiled_branches<'b>(&self, branches: &'b [Branch]) -> Vec<&'b Branch> {
        let mut possible = Vec::new();
        for branch in branches {
            match self.condition(&branch.condition) {
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

    fn condition(&self, condition: &Condition) -> Option<bool> {
        match condition {
            Condition::Else => Some(true),
            Condition::Defined(name) => self.is_defined(&name.name),
            Condition::NotDefined(name) => self.is_defined(&name.name).map(|defined| !defined),
            Condition::If(expr) => self.preprocessor_value(expr).map(|value| value != 0),
        }
    }

    /// Whether a macro is defined: known only for those that this file defines.
    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        match name {
            "__CUDACC__" | "__cplusplus" => Some(true),
            _ => self.macros.contains_key(name).then_some(true),
        }
    }

    /// The value of an expression behind `#if`.
    fn preprocessor_value(&self, expr: &Expr) -> Option<i64> {
        match &expr.kind {
            ExprKind::Int(value) => Some(*value),
            ExprKind::Bool(value) => Some(i64::from(*value)),
            ExprKind::Name(_) => {
                let value = (*self.macros.get(expr.as_plain_name()?)?)?;
                match value.kind {
                    ExprKind::Int(value) => Some(value),
                    _ => None,
                }
            }
            ExprKind::Call(callee, args) if callee.as_plain_name() == Some("defined") => self
                .is_defined(args.first()?.as_plain_name()?)
                .map(i64::from),
            ExprKind::Unary(UnaryOp::Not, operand) => self
                .preprocessor_value(operand)
                .map(|value| i64::from(value == 0)),
            ExprKind::Binary(BinaryOp::And, left, right) => {
                match (
                    self.preprocessor_value(left),
                    self.preprocessor_value(right),
                ) {
                    (Some(0), _) | (_, Some(0)) => Some(0),
                    (Some(_), Some(_)) => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(BinaryOp::Or, left, right) => {
                match (
                    self.preprocessor_value(left),
                    self.preprocessor_value(right),
                ) {
                    (Some(0), Some(0)) => Some(0),
                    (Some(value), _) | (_, Some(value)) if value != 0 => Some(1),
                    _ => None,
                }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (
                    self.preprocessor_value(left)?,
                    self.preprocessor_value(right)?,
                );
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
