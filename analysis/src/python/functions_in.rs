//! The functions that statements declare.

use std::sync::Arc;

use tree_sitter_cute::script::{Function as Code, Stmt, StmtKind};

/// The functions of statements, of their blocks, classes and functions too; the outer ones first.
pub(super) fn functions_in(stmts: &[Stmt]) -> Vec<Arc<Code>> {
    let mut found = Vec::new();
    add_functions(stmts, &mut found);
    found
}

fn add_functions(stmts: &[Stmt], found: &mut Vec<Arc<Code>>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Function(function) => {
                found.push(Arc::clone(function));
                add_functions(&function.body, found);
            }
            StmtKind::Class(class) => add_functions(&class.body, found),
            StmtKind::If(_, body, orelse) | StmtKind::While(_, body, orelse) => {
                add_functions(body, found);
                add_functions(orelse, found);
            }
            StmtKind::For { body, orelse, .. } => {
                add_functions(body, found);
                add_functions(orelse, found);
            }
            StmtKind::With(_, body) | StmtKind::Try { body, .. } => add_functions(body, found),
            _ => {}
        }
    }
}
