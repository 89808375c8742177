//! Inputs and intermediate results of an analysis, kept to its end, beside its tree.

use std::fmt;
use std::sync::Arc;

use tree_sitter_cute::tree::{Expr, Function, Instantiation, Item};

use crate::sources::{Predefined, SourceFile};

/// Owner of the files that were read, and of the results of their macros, for one analysis.
#[derive(Default)]
pub(crate) struct Arena {
    files: typed_arena::Arena<Arc<SourceFile>>,
    predefined: typed_arena::Arena<Predefined>,
    exprs: typed_arena::Arena<Expr>,
    functions: typed_arena::Arena<Function>,
    items: typed_arena::Arena<Item>,
    instantiations: typed_arena::Arena<Instantiation>,
}

impl Arena {
    /// Keeps a file.
    pub(crate) fn file(&self, file: Arc<SourceFile>) -> &SourceFile {
        self.files.alloc(file)
    }

    /// Keeps an instantiation that a directive asks for.
    pub(crate) fn instantiation(&self, instantiation: Instantiation) -> &Instantiation {
        self.instantiations.alloc(instantiation)
    }

    /// Keeps a macro of the compiler's.
    pub(crate) fn predefined(&self, predefined: Predefined) -> &Predefined {
        self.predefined.alloc(predefined)
    }

    /// Keeps the expansion of a macro.
    pub(crate) fn expr(&self, expr: Expr) -> &Expr {
        self.exprs.alloc(expr)
    }

    /// Keeps a member that is put together from its declaration and its definition.
    pub(crate) fn item(&self, item: Item) -> &Item {
        self.items.alloc(item)
    }

    /// Keeps a function whose head a macro made.
    pub(crate) fn function(&self, function: Function) -> &Function {
        self.functions.alloc(function)
    }
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Arena").finish_non_exhaustive()
    }
}
