//! The branches of `#if` that are compiled, where the visible macros decide it.

use cute_hardware::Architecture;
use tree_sitter_cute::tree::{
    Branch, Condition, Define, ExprKind, Ident, Include, Item, ItemKind, Span,
};

use super::program::{MacroAt, Program};
use crate::condition::{self, Macro};
use crate::sources::{Included, SourceFile};
use crate::walk;

/// The macro that says for which architecture device code is compiled: 900 is `sm_90`.
pub(super) const ARCHITECTURE: &str = "__CUDA_ARCH__";

/// Prefix of the names of the compiler's other macros about it.
const OF_ARCHITECTURE: &str = "__CUDA_ARCH_";

/// The macros of code for `a` and `f` targets.
const SPECIFIC: &str = "__CUDA_ARCH_SPECIFIC__";
const FAMILY_SPECIFIC: &str = "__CUDA_ARCH_FAMILY_SPECIFIC__";

/// Releases of the CUDA toolkit that are taken for possible where none is given: a condition on the
/// release is decided where it is the same for all.
const TOOLKITS: &[(i64, i64)] = &[(12, 4), (12, 9), (13, 0)];

/// The oldest C++ standard with which the libraries can be compiled.
const OLDEST_STANDARD: i64 = 201_703;

/// Macros of the libraries that only a build defines, as it does those of the sources: no header sets them.
const OPTIONS: &[&str] = &["CUTLASS_NAMESPACE"];

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

    /// The items of the branch that is surely compiled: none where no branch is; nothing where that is not known.
    pub(super) fn surely_compiled<'b>(
        &self,
        branches: &'b [Branch],
        may_be_defined: &[&str],
    ) -> Option<&'b [Item]> {
        match self
            .compiled_branches_where(branches, may_be_defined)
            .as_slice()
        {
            [] => Some(&[]),
            [branch] if self.is_compiled(branch, may_be_defined) => Some(&branch.items),
            _ => None,
        }
    }

    /// Whether a branch that is reached is surely compiled.
    pub(super) fn is_compiled(&self, branch: &Branch, may_be_defined: &[&str]) -> bool {
        self.holds(branch, may_be_defined) == Some(true)
    }

    /// Whether a branch that may be compiled may be skipped as well: the body of an include guard may not.
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
                let text = self.slice(expr.span);
                let file = self.file_of(expr.span);
                let mut answers = TOOLKITS.iter().map(|toolkit| {
                    let view = View {
                        program: self,
                        file,
                        used: expr.span,
                        toolkit: *toolkit,
                    };
                    condition::holds(text, &view)
                });
                let first = answers.next()??;
                answers.all(|answer| answer == Some(first)).then_some(first)
            }
        }
    }

    /// Whether a macro is defined. One that nothing visible defines is not defined, unless its definition would be in
    /// unread sources: the compiler and the libraries.
    pub(super) fn is_defined(&self, name: &str) -> Option<bool> {
        if self.preprocessed.macros.is_in_doubt(name) {
            return None;
        }
        if self.preprocessed.macros.has(name)
            || matches!(name, "__CUDACC__" | "__cplusplus" | ARCHITECTURE)
        {
            return Some(true);
        }
        // A build that names its architecture defines all that says more about it.
        if name.starts_with(OF_ARCHITECTURE) && self.preprocessed.macros.has(ARCHITECTURE) {
            return Some(false);
        }
        let elsewhere = ["_", "CUDA", "CUTE_", "CUTLASS_"];
        let may_be =
            elsewhere.iter().any(|prefix| name.starts_with(prefix)) && !OPTIONS.contains(&name);
        (!may_be && self.is_of(tree_sitter_cute::Host::CudaCpp)).then_some(false)
    }

    /// The architecture for which device code is compiled, where the build says so.
    pub(super) fn target(&self) -> Option<Architecture> {
        let number = self.macro_number(ARCHITECTURE)?;
        let is_specific = [SPECIFIC, FAMILY_SPECIFIC]
            .into_iter()
            .any(|name| self.preprocessed.macros.has(name));
        Some(Architecture {
            number: u16::try_from(number / 10).ok()?,
            specific: is_specific
                || self
                    .preprocessed
                    .macros
                    .has(&format!("__CUDA_ARCH_FEAT_SM{}_ALL", number / 10)),
        })
    }

    /// The number that a macro expands to.
    pub(super) fn macro_number(&self, name: &str) -> Option<i64> {
        match &self.preprocessed.macros.replacement(name)?.kind {
            ExprKind::Int(value) => Some(*value),
            _ => None,
        }
    }
}

/// A program as the preprocessor sees it with a release of the toolkit.
struct View<'p, 'u> {
    program: &'p Program<'u>,
    /// The file of the condition.
    file: Option<&'u SourceFile>,
    /// The place of the condition.
    used: Span,
    toolkit: (i64, i64),
}

impl<'u> condition::Macros<'u> for View<'_, 'u> {
    fn replacement(&self, name: &str) -> Macro<'u> {
        let program = self.program;
        if program.preprocessed.macros.is_in_doubt(name) {
            return Macro::Unknown;
        }
        if program.preprocessed.macros.has(name) {
            return self.in_force(name);
        }
        match name {
            ARCHITECTURE => Macro::Number(OLDEST, i64::MAX),
            "__cplusplus" => Macro::Number(OLDEST_STANDARD, i64::MAX),
            "__CUDACC_VER_MAJOR__" => Macro::Number(self.toolkit.0, self.toolkit.0),
            "__CUDACC_VER_MINOR__" => Macro::Number(self.toolkit.1, self.toolkit.1),
            _ if program.is_defined(name) == Some(false) => Macro::Undefined,
            _ => Macro::Unknown,
        }
    }

    fn is_defined(&self, name: &str) -> Option<bool> {
        self.program.is_defined(name)
    }

    fn has_include(&self, path: &str, system: bool) -> Option<bool> {
        let environment = self.program.environment?;
        let name = path.to_owned();
        let span = Span::default();
        let path = Ident { name, span };
        match environment
            .sources
            .include(self.file?, &Include { path, system })
        {
            Included::File(_) | Included::Known => Some(true),
            // The compiler may look in other folders.
            Included::Missing(_) | Included::Outside(_) => None,
        }
    }
}

impl<'u> View<'_, 'u> {
    /// The replacement of a macro that is in force, where its text is that of its last definition.
    fn in_force(&self, name: &str) -> Macro<'u> {
        let program = self.program;
        let redefined = program.preprocessed.macro_times.get(name);
        if redefined.is_some_and(|times| times.len() > 1) {
            return match program.macro_at(name, self.used) {
                MacroAt::Defined(define) => self.text_of(define),
                MacroAt::Undefined => Macro::Undefined,
                MacroAt::Open => Macro::Unknown,
            };
        }
        let value = program.preprocessed.macros.replacement(name);
        let object = program.preprocessed.object_macros.get(name).copied();
        let is_last = |define: &Define| match (&define.value, value) {
            (Some(known), Some(value)) => std::ptr::eq(known, value),
            (None, None) => true,
            _ => false,
        };
        if let Some(define) = object.filter(|define| is_last(define)) {
            return self.text_of(define);
        }
        match (value, program.preprocessed.function_macros.get(name)) {
            (Some(value), _) => match value.kind {
                ExprKind::Int(number) => Macro::Number(number, number),
                _ => Macro::Unknown,
            },
            (None, Some(define)) => self.text_of(define),
            // A flag without a value is 1.
            (None, None) if program.demand.is_flag(name) => Macro::Number(1, i64::MAX),
            (None, None) => Macro::Unknown,
        }
    }

    fn text_of(&self, define: &'u Define) -> Macro<'u> {
        let body = self.program.slice(define.body);
        match &define.params {
            None => Macro::Object(body),
            Some(_) if define.variadic => Macro::Unknown,
            Some(params) => {
                let params = params.iter().map(|param| param.name.as_str());
                Macro::Function(params.collect(), body)
            }
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
            // A condition that is not lowered may mention any macro.
            let mut asks = matches!(expr.kind, ExprKind::Opaque(_));
            walk::subexpressions(expr, &mut |part| asks |= part.as_plain_name() == Some(name));
            asks
        }
        Condition::Else => false,
    }
}
