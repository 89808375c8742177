//! Calls as a source writes them: for texts beside a call (signatures, documentation).

use tree_sitter_cute::tree::{Expr, ExprKind, Span, Unit};

use crate::walk;

/// A call of a named function or method.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WrittenCall {
    /// The last part of the name: `composition` of `cute::composition`, `partition_A` of
    /// `mma.partition_A`.
    pub name: String,
    /// The place of that part.
    pub name_span: Span,
    /// The arguments.
    pub arguments: Vec<Span>,
    /// The whole call.
    pub span: Span,
}

/// Calls `visit` with every expression of a source, outer ones first.
pub fn each_expression<'u>(unit: &'u Unit, visit: &mut dyn FnMut(&'u Expr)) {
    walk::expressions(&unit.items, visit);
}

/// Calls `visit` with an expression and every one in it, outer ones first.
pub fn each_subexpression<'u>(expr: &'u Expr, visit: &mut dyn FnMut(&'u Expr)) {
    walk::subexpressions(expr, visit);
}

/// The calls that contain a byte, the outermost first.
pub fn calls_around(unit: &Unit, byte: usize) -> Vec<WrittenCall> {
    let mut found = Vec::new();
    walk::expressions(&unit.items, &mut |expr| {
        if expr.span.start <= byte && byte <= expr.span.end {
            found.extend(written(expr));
        }
    });
    found
}

/// The first call inside a span, the outer before the inner one.
pub fn first_call(unit: &Unit, span: Span) -> Option<WrittenCall> {
    let mut found: Option<WrittenCall> = None;
    walk::expressions(&unit.items, &mut |expr| {
        if found.is_none() && span.encloses(expr.span) {
            found = written(expr);
        }
    });
    found
}

fn written(expr: &Expr) -> Option<WrittenCall> {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return None;
    };
    let name = match &callee.kind {
        ExprKind::Name(path) => &path.last()?.name,
        ExprKind::Member { member, .. } => &member.name,
        _ => return None,
    };
    Some(WrittenCall {
        name: name.name.clone(),
        name_span: name.span,
        arguments: args.iter().map(|arg| arg.span).collect(),
        span: expr.span,
    })
}

#[cfg(test)]
mod tests {
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    #[test]
    fn calls_are_found_from_the_outside() {
        let text = "auto r = cute::composition(a, mma.partition_A(b));";
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let unit = syntax.lower(text);
        let at_b = text.find("b)").unwrap();
        let names: Vec<String> = calls_around(&unit, at_b)
            .into_iter()
            .map(|call| call.name)
            .collect();
        assert_eq!(names, ["composition", "partition_A"]);
        let first = first_call(&unit, Span::new(0, text.len())).unwrap();
        assert_eq!(first.name_span.text(text), "composition");
        assert_eq!(first.arguments[1].text(text), "mma.partition_A(b)");
        assert_eq!(first_call(&unit, Span::new(0, 8)), None);
    }
}
