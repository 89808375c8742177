//! The sites of the operators in a source.

use tree_sitter_cute::tree::{
    Condition, Expr, ExprKind, Item, ItemKind, Span, Unit, Visitor, walk_expr, walk_item, walk_unit,
};
use tree_sitter_cute::{Budget, Host, Syntax};

use super::operators::{Change, Node, OPERATORS};

/// A mutant that may be made of a source.
pub(super) struct Site {
    /// The index of the operator.
    pub(super) operator: usize,
    pub(super) change: Change,
    /// The statement or declaration that is changed.
    pub(super) statement: Span,
    /// The function around it; the statement itself where there is none.
    pub(super) function: Span,
}

/// All mutants of a source, in its order.
pub(super) fn sites(source: &str) -> Vec<Site> {
    let Ok(syntax) = Syntax::parse(Host::CudaCpp, source, None, Budget::unlimited()) else {
        return Vec::new();
    };
    let unit: Unit = syntax.lower(source);
    let mut finder = Finder {
        source,
        statement: None,
        function: None,
        found: Vec::new(),
    };
    walk_unit(&mut finder, &unit);
    finder.found
}

struct Finder<'t> {
    source: &'t str,
    statement: Option<Span>,
    function: Option<Span>,
    found: Vec<Site>,
}

impl Finder<'_> {
    fn apply(&mut self, node: &Node<'_>, span: Span) {
        for (operator, known) in OPERATORS.iter().enumerate() {
            if let Some(change) = (known.change)(node, self.source) {
                let statement = self.statement.unwrap_or(span);
                self.found.push(Site {
                    operator,
                    change,
                    statement,
                    function: self.function.unwrap_or(statement),
                });
            }
        }
    }
}

impl Visitor for Finder<'_> {
    fn item(&mut self, item: &Item) {
        // Code that is never compiled.
        if let ItemKind::Conditional(conditional) = &item.kind {
            for branch in &conditional.branches {
                let is_never = matches!(
                    &branch.condition,
                    Condition::If(Expr {
                        kind: ExprKind::Int(0),
                        ..
                    })
                );
                if !is_never {
                    branch.items.iter().for_each(|item| self.item(item));
                }
            }
            return;
        }
        let around = (self.statement, self.function);
        match &item.kind {
            ItemKind::Function(_) => self.function = Some(item.span),
            ItemKind::Binding(_) | ItemKind::Expr(_) | ItemKind::StructuredBinding(_) => {
                self.statement = Some(item.span);
            }
            _ => self.statement = None,
        }
        self.apply(&Node::Item(item), item.span);
        walk_item(self, item);
        (self.statement, self.function) = around;
    }

    fn expr(&mut self, expr: &Expr) {
        self.apply(&Node::Expr(expr), expr.span);
        walk_expr(self, expr);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the operators that apply to a text, with the texts that they make.
    fn mutants(source: &str) -> Vec<(&'static str, String)> {
        let made = sites(source).into_iter().map(|site| {
            let mut text = source.to_owned();
            text.replace_range(
                site.change.span.start..site.change.span.end,
                &site.change.text,
            );
            (OPERATORS[site.operator].name, text)
        });
        made.collect()
    }

    #[test]
    fn statements_are_removed_and_lines_stay() {
        let made = mutants("void f() {\n  __syncthreads();\n  g();\n}\n");
        assert_eq!(
            made,
            [
                (
                    "no __syncthreads",
                    "void f() {\n  ;\n  g();\n}\n".to_owned()
                ),
                (
                    "a barrier of one warp",
                    "void f() {\n  if (threadIdx.x < 32) { __syncthreads(); }\n  g();\n}\n"
                        .to_owned()
                )
            ]
        );
    }

    #[test]
    fn operands_indices_and_arguments_are_changed() {
        let made = mutants("void f() { gemm(mma, a, b(_, _, pipe), c); }");
        let texts: Vec<&str> = made.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(
            texts,
            [
                "void f() { if (threadIdx.x == 0) { gemm(mma, a, b(_, _, pipe), c); } }",
                "void f() { gemm(mma, b(_, _, pipe), a, c); }",
                "void f() { gemm(mma, a, b(_, _, (pipe) + 1), c); }",
            ]
        );
    }

    #[test]
    fn what_is_never_compiled_and_what_no_operator_knows_stays() {
        assert_eq!(
            mutants("void f() {\n#if 0\n__syncthreads();\n#endif\n g(); }"),
            []
        );
    }
}
