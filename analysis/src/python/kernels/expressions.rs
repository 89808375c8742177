//! Expressions of a kernel of the DSL as those of the tree of C++.

use tree_sitter_cute::script::{BinaryOp, CompareOp, Expr, ExprKind, LogicalOp, UnaryOp};
use tree_sitter_cute::tree::{self, Ident, Path, Qualifier, Segment, Span};

use super::super::value::Py;
use super::statements::Lowering;
use crate::value::Value;

impl Lowering<'_> {
    pub(super) fn expr(&mut self, expr: &Expr) -> tree::Expr {
        crate::stack::with_room(|| self.lowered(expr))
    }

    fn lowered(&mut self, expr: &Expr) -> tree::Expr {
        let span = expr.span;
        let known = self.observed.number(self.activation, span);
        let kind = match &expr.kind {
            ExprKind::Name(name) => return self.name(name, span),
            ExprKind::Call(callee, args) => return self.call(expr, callee, args),
            ExprKind::Int(number) => tree::ExprKind::Int(*number),
            ExprKind::Bool(truth) => tree::ExprKind::Bool(*truth),
            ExprKind::Float(number) => tree::ExprKind::Float(number.to_string()),
            ExprKind::Str(text) => tree::ExprKind::Str(text.to_string()),
            ExprKind::None => return name("_", span),
            ExprKind::Attribute(object, member) => match known {
                Some(number) => tree::ExprKind::Int(number),
                None => {
                    let object = self.expr(object);
                    return member_of(object, &member.text, member.span, span);
                }
            },
            ExprKind::Subscript(object, index) => match known {
                Some(number) => tree::ExprKind::Int(number),
                None => return self.subscript(object, index, span),
            },
            ExprKind::Tuple(items) | ExprKind::List(items) => {
                tree::ExprKind::Tuple(items.iter().map(|item| self.expr(item)).collect())
            }
            ExprKind::Unary(op, operand) => {
                let operand = Box::new(self.expr(operand));
                let op = match op {
                    UnaryOp::Minus => tree::UnaryOp::Minus,
                    UnaryOp::Plus => tree::UnaryOp::Plus,
                    UnaryOp::Invert => tree::UnaryOp::BitNot,
                    UnaryOp::Not => tree::UnaryOp::Not,
                };
                tree::ExprKind::Unary(op, operand)
            }
            ExprKind::Binary(op, left, right) => match operator(*op) {
                Some(op) => binary(op, self.expr(left), self.expr(right)),
                None => tree::ExprKind::Opaque("an operator of Python"),
            },
            ExprKind::Logical(op, left, right) => {
                let op = match op {
                    LogicalOp::And => tree::BinaryOp::And,
                    LogicalOp::Or => tree::BinaryOp::Or,
                };
                binary(op, self.expr(left), self.expr(right))
            }
            ExprKind::Compare(first, rest) => self.comparison(first, rest, span),
            ExprKind::Conditional(choice) => tree::ExprKind::Ternary(
                Box::new(self.expr(&choice.test)),
                Box::new(self.expr(&choice.then)),
                Box::new(self.expr(&choice.orelse)),
            ),
            ExprKind::Ellipsis => return name("_", span),
            _ => tree::ExprKind::Opaque("an expression of Python"),
        };
        tree::Expr::new(kind, span)
    }

    /// A variable, the index of a thread or CTA, a number of the trace.
    fn name(&mut self, written: &str, span: Span) -> tree::Expr {
        if let Some(Py::Leaf(Value::Int(int))) = self.only_value(written) {
            let symbol = int.to_string();
            for (variable, axes) in INDICES {
                if let Some((axis, _)) = axes.iter().find(|(_, known)| *known == symbol) {
                    return member_of(name(variable, span), axis, span, span);
                }
            }
        }
        if self.declaration(written, span).is_none()
            && let Some(number) = self.observed.number(self.activation, span)
        {
            return tree::Expr::new(tree::ExprKind::Int(number), span);
        }
        name(written, span)
    }

    /// `tensor[None, k]`, which C++ writes as `tensor(_, k)`.
    fn subscript(&mut self, object: &Expr, index: &Expr, span: Span) -> tree::Expr {
        let is_sliced = matches!(&object.kind, ExprKind::Name(name) if self.is_sliced(name));
        let object = self.expr(object);
        let indices = match &index.kind {
            ExprKind::Tuple(items) => items.iter().map(|item| self.expr(item)).collect(),
            _ => vec![self.expr(index)],
        };
        let kind = match is_sliced {
            true => tree::ExprKind::Call(Box::new(object), indices),
            false => tree::ExprKind::Index(Box::new(object), indices),
        };
        tree::Expr::new(kind, span)
    }

    fn comparison(
        &mut self,
        first: &Expr,
        rest: &[(CompareOp, Expr)],
        span: Span,
    ) -> tree::ExprKind {
        let mut left = self.expr(first);
        let mut all: Option<tree::ExprKind> = None;
        for (op, right) in rest {
            let op = match op {
                CompareOp::Lt => tree::BinaryOp::Lt,
                CompareOp::Le => tree::BinaryOp::Le,
                CompareOp::Gt => tree::BinaryOp::Gt,
                CompareOp::Ge => tree::BinaryOp::Ge,
                CompareOp::Eq => tree::BinaryOp::Eq,
                CompareOp::Ne => tree::BinaryOp::Ne,
                _ => return tree::ExprKind::Opaque("a comparison of Python"),
            };
            let right = self.expr(right);
            let one = binary(op, left, right.clone());
            left = right;
            all = Some(match all {
                Some(before) => binary(
                    tree::BinaryOp::And,
                    tree::Expr::new(before, span),
                    tree::Expr::new(one, span),
                ),
                None => one,
            });
        }
        all.unwrap_or(tree::ExprKind::Opaque("a comparison of Python"))
    }
}

/// The variables of CUDA, with the symbols of their members.
const INDICES: &[(&str, [(&str, &str); 3])] = &[
    (
        "threadIdx",
        [
            ("x", "threadIdx.x"),
            ("y", "threadIdx.y"),
            ("z", "threadIdx.z"),
        ],
    ),
    (
        "blockIdx",
        [
            ("x", "blockIdx.x"),
            ("y", "blockIdx.y"),
            ("z", "blockIdx.z"),
        ],
    ),
];

fn binary(op: tree::BinaryOp, left: tree::Expr, right: tree::Expr) -> tree::ExprKind {
    tree::ExprKind::Binary(op, Box::new(left), Box::new(right))
}

/// The operator of the tree, where it has the same meaning for whole numbers that are not negative.
pub(super) fn operator(op: BinaryOp) -> Option<tree::BinaryOp> {
    Some(match op {
        BinaryOp::Add => tree::BinaryOp::Add,
        BinaryOp::Sub => tree::BinaryOp::Sub,
        BinaryOp::Mul => tree::BinaryOp::Mul,
        BinaryOp::FloorDiv => tree::BinaryOp::Div,
        BinaryOp::Mod => tree::BinaryOp::Rem,
        BinaryOp::Shl => tree::BinaryOp::Shl,
        BinaryOp::Shr => tree::BinaryOp::Shr,
        BinaryOp::And => tree::BinaryOp::BitAnd,
        BinaryOp::Or => tree::BinaryOp::BitOr,
        BinaryOp::Xor => tree::BinaryOp::BitXor,
        BinaryOp::Div | BinaryOp::Pow | BinaryOp::MatMul => return None,
    })
}

fn segment(written: &str, span: Span) -> Segment {
    Segment {
        name: Ident {
            name: written.to_owned(),
            span,
        },
        args: None,
    }
}

/// A name.
pub(super) fn name(written: &str, span: Span) -> tree::Expr {
    let path = Path {
        qualifier: Qualifier::None,
        segments: vec![segment(written, span)],
    };
    tree::Expr::new(tree::ExprKind::Name(path), span)
}

/// `object.member`
pub(super) fn member_of(object: tree::Expr, member: &str, at: Span, span: Span) -> tree::Expr {
    let kind = tree::ExprKind::Member {
        object: Box::new(object),
        member: segment(member, at),
        arrow: false,
    };
    tree::Expr::new(kind, span)
}

/// The call of a function by name.
pub(super) fn called(function: &str, at: Span, args: Vec<tree::Expr>, span: Span) -> tree::Expr {
    let kind = tree::ExprKind::Call(Box::new(name(function, at)), args);
    tree::Expr::new(kind, span)
}
