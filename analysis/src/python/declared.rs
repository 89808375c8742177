//! Names that the installed source of a module declares, where the module itself is not run.

use tree_sitter_cute::script::{Alias, Expr, ExprKind, Stmt, StmtKind};

use super::heap::Object;
use super::machine::Machine;
use super::modules::absolute_from;
use super::value::Py;
use super::world::is_package;
use crate::hash::HashSet;
use crate::reason::Reason;

/// Modules that are read for one name: `from ... import *` leads to others.
const MODULES: usize = 16;

/// The answer of one statement.
#[derive(Debug, PartialEq, Eq)]
enum Said {
    Nothing,
    Declares,
    /// It may, or not: it is in a branch.
    Open,
    /// `from ... import *`
    All(String),
}

impl Machine<'_> {
    /// Whether an object is sure to have no attribute of a name that was not found; the reason where that is not known.
    pub(super) fn lacks(&mut self, object: &Py, name: &str) -> Result<bool, Reason> {
        let Py::Object(id) = object else {
            return Ok(true);
        };
        let Object::Module(module) = self.heap.get(*id) else {
            return Ok(true);
        };
        let file = module.file.and_then(|file| self.files.get(file));
        let was_run = file.is_some_and(|file| file.is_focus || file.source.is_some());
        let is_of_dsl = module.name.split('.').next() == Some("cutlass");
        // A module of which only a part is modelled may have any other name.
        if !is_of_dsl && !was_run {
            return Err(Reason::NotEvaluated(
                format!("{}.{name}", module.name).into(),
            ));
        }
        if !is_of_dsl || (was_run && module.failed.is_none()) {
            return Ok(true);
        }
        let dotted = module.name.to_string();
        match self.declares(&dotted, name) {
            Some(declares) => Ok(!declares),
            None => Err(Reason::NotEvaluated(format!("{dotted}.{name}").into())),
        }
    }

    /// Whether the installed source of a module declares a name. Nothing where a part of it is not a source of Python.
    fn declares(&mut self, dotted: &str, name: &str) -> Option<bool> {
        let mut open = vec![dotted.to_owned()];
        let mut seen: HashSet<String> = HashSet::default();
        let mut answer = Some(false);
        while let Some(module) = open.pop() {
            if !seen.insert(module.clone()) {
                continue;
            }
            let source = match seen.len() {
                0..=MODULES => self.installed(&module),
                _ => None,
            };
            let Some(source) = source else {
                answer = None;
                continue;
            };
            self.step(source.text().len() / 64).ok()?;
            let is_package = is_package(&source);
            for stmt in &source.script().body {
                match said_of(stmt, name, &module, is_package) {
                    Said::Nothing => {}
                    Said::Declares => return Some(true),
                    Said::Open => answer = None,
                    Said::All(other) => open.push(other),
                }
            }
        }
        answer
    }
}

fn said_of(stmt: &Stmt, name: &str, module: &str, is_package: bool) -> Said {
    let says = |declares: bool| match declares {
        true => Said::Declares,
        false => Said::Nothing,
    };
    match &stmt.kind {
        StmtKind::Function(code) => says(&*code.name.text == name),
        StmtKind::Class(code) => says(&*code.name.text == name),
        StmtKind::Assign(targets, _) => says(targets.iter().any(|it| is_name(it, name))),
        StmtKind::Annotated {
            target,
            value: Some(_),
            ..
        } => says(is_name(target, name)),
        StmtKind::Import(aliases) => says(aliases.iter().any(|it| binds(it, name))),
        StmtKind::ImportFrom {
            names: Some(names), ..
        } => says(names.iter().any(|it| binds(it, name))),
        StmtKind::ImportFrom {
            level,
            module: path,
            names: None,
        } => {
            let path: Vec<&str> = path.iter().map(|part| &*part.text).collect();
            Said::All(absolute_from(module, is_package, *level, &path.join(".")))
        }
        StmtKind::If(_, body, orelse) => of_branches([body, orelse], name, module, is_package),
        StmtKind::Try { body, orelse, .. } => of_branches([body, orelse], name, module, is_package),
        StmtKind::With(_, body) => of_branches([body], name, module, is_package),
        _ => Said::Nothing,
    }
}

/// The answer of blocks that may be skipped: of those, only that they say nothing is sure.
fn of_branches<'s>(
    blocks: impl IntoIterator<Item = &'s Vec<Stmt>>,
    name: &str,
    module: &str,
    is_package: bool,
) -> Said {
    for stmt in blocks.into_iter().flatten() {
        let is_block = matches!(
            stmt.kind,
            StmtKind::If(..) | StmtKind::Try { .. } | StmtKind::With(..)
        );
        if is_block || said_of(stmt, name, module, is_package) != Said::Nothing {
            return Said::Open;
        }
    }
    Said::Nothing
}

fn is_name(target: &Expr, name: &str) -> bool {
    match &target.kind {
        ExprKind::Name(bound) => &**bound == name,
        ExprKind::Tuple(items) | ExprKind::List(items) => items
            .iter()
            .any(|item| matches!(&item.kind, ExprKind::Name(bound) if &**bound == name)),
        _ => false,
    }
}

fn binds(alias: &Alias, name: &str) -> bool {
    let bound = alias.alias.as_ref().or_else(|| alias.path.first());
    bound.is_some_and(|bound| &*bound.text == name)
}
