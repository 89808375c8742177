//! Why a value is Unknown: which name or construct stopped the evaluation.

use std::any::Any;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::path::Path;
use std::sync::Arc;

use cute_algebra::{Refusal, RuleSet};

/// Why a value is not known. The innermost cause is kept: a value that depends on an unknown name is unknown for that
/// name's reason.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Reason {
    /// A name that is declared nowhere we can see and is not of CuTe.
    Undeclared(Arc<str>),
    /// A function without a visible body that is not of CuTe.
    NoBody(Arc<str>),
    /// A CuTe name that is not evaluated yet.
    NotEvaluated(Arc<str>),
    /// A template parameter for which no instantiation is visible.
    Unbound(Arc<str>),
    /// A pack of which not even the number of elements is known.
    OpenPack(Arc<str>),
    /// A parameter for which no call is visible.
    Parameter(Arc<str>),
    /// A variable whose run-time part is changed after its declaration.
    Changed(Arc<str>),
    /// A value that only the running program has, in words.
    RunTime(Arc<str>),
    /// An error of Python that the code raises: its class and the cause, in words.
    Raised(&'static str, Arc<str>),
    /// Several declarations match and nothing selects one.
    Ambiguous(Arc<str>),
    /// An integer constant that each build declares with its own value.
    OfBuild(Arc<str>),
    /// The operation was refused: the rule, and the sentence with the numbers.
    Refused(&'static str, Arc<str>),
    /// The arguments are not of the kind that a function takes: the function and its parameters.
    Unsuitable(Arc<str>, &'static str),
    /// `enable_if` of a condition that is false: the declaration does not take part.
    NotEnabled,
    /// A part of C++ that is not evaluated, in words.
    Construct(&'static str),
    /// A member that an object or type does not have: the member and its owner.
    NoMember(Arc<str>, Arc<str>),
    /// A member of one of CuTe's types that is not evaluated yet: the member and its owner.
    MemberNotEvaluated(Arc<str>, Arc<str>),
    /// A file that an `#include` names and that cannot be read: its path and why.
    NotIncluded(Arc<str>, Arc<str>),
    /// A file that a source names and that the project may not read: its path as it is named and where it leads.
    Outside(Arc<str>, Arc<str>),
    /// The rules are of another version of CUTLASS than the one on the include path: its major and minor number.
    OtherVersion(u32, u32),
    /// A declaration whose look-up leads to itself.
    Circular(Arc<str>),
    /// One of [`crate::limits`] was reached.
    Limit(&'static str),
    /// This number of steps was taken in one function.
    Steps(usize),
    /// A layout whose stride has more modes than its shape, or a copy with such a layout. CuTe ignores them where it
    /// partitions, and writes them where it prints: the value without them gives the tensors of the copy.
    Uneven(Kept),
    /// An error ended the trace of Python before: where, and which.
    Ended(Arc<str>, Arc<str>),
}

/// A value that some operations go on with where the others do not know it. Two are equal where their texts are.
#[derive(Clone)]
pub struct Kept {
    value: Arc<dyn Any + Send + Sync>,
    text: Arc<str>,
}

impl Kept {
    /// Keeps a value.
    pub(crate) fn of(value: impl Any + fmt::Display + Send + Sync) -> Self {
        Self {
            text: value.to_string().into(),
            value: Arc::new(value),
        }
    }

    /// The value, of the type that was kept.
    pub(crate) fn value<V: Any>(&self) -> Option<&V> {
        self.value.downcast_ref::<V>()
    }
}

impl fmt::Debug for Kept {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Kept").field(&self.text).finish()
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Kept {}

impl Hash for Kept {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Reason {
    /// The value is an integer whose type no declaration says.
    pub(crate) const UNDECLARED_INTEGER: Self = Self::Construct("an integer of an undeclared type");

    /// A file that the project may not read, as it is named and where it leads.
    pub(crate) fn outside(named: &str, leads_to: &Path) -> Self {
        Self::Outside(named.into(), leads_to.display().to_string().into())
    }

    /// The refusal of an operation, with the numbers.
    pub(crate) fn refused<R: RuleSet>(rule: &'static str, refusal: &Refusal<R>) -> Self {
        Self::Refused(rule, refusal.message().into())
    }

    /// The reason with the numbers of a refusal, which the short form leaves out: refusals of one
    /// rule are counted together.
    ///
    /// ```
    /// use cute_analysis::Reason;
    /// let box_of_512 = "the TMA box has 512 elements along dimension 1: 1 to 256 are possible".into();
    /// let reason = Reason::Refused("tma-box", box_of_512);
    /// assert_eq!(reason.to_string(), "refused: tma-box");
    /// assert!(reason.in_full().contains("512 elements"));
    /// ```
    pub fn in_full(&self) -> String {
        match self {
            Self::Refused(rule, sentence) if !sentence.is_empty() => {
                format!("refused: {rule}: {sentence}")
            }
            other => other.to_string(),
        }
    }
}

impl Reason {
    /// The run-time truth value that decides, where a name says it: with an assumption about it the value is known.
    pub fn undecided(&self) -> Option<&str> {
        let Self::RunTime(what) = self else {
            return None;
        };
        let name = what.strip_prefix('`')?.strip_suffix('`')?;
        let of_name =
            |character: char| character.is_alphanumeric() || matches!(character, '_' | '.');
        (!name.is_empty() && name.chars().all(of_name)).then_some(name)
    }

    /// The action of a user that makes the value known; nothing where no action would.
    pub fn remedy(&self) -> Option<String> {
        if let Some(name) = self.undecided() {
            return Some(format!(
                "state it: `// cute: assume {name}=1` above the statement, or `--assume {name}=1`"
            ));
        }
        let said = match self {
            Self::Undeclared(_) | Self::NoMember(..) | Self::NoBody(_) => {
                Some("add its folder with -I, or in cute-analyzer.toml, or a compile_commands.json")
            }
            Self::Unbound(_) | Self::OpenPack(_) => Some(
                "add `// cute: instantiate NAME<arguments>` above the template, or add the file that instantiates it",
            ),
            Self::Parameter(_) => Some("add a call with known arguments"),
            Self::Outside(..) => Some(
                "name its folder with -I, or in cute-analyzer.toml, or a compile_commands.json",
            ),
            Self::NotIncluded(..) => Some("check the path and the include folders"),
            _ => None,
        };
        said.map(str::to_owned)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Undeclared(name) => write!(f, "`{name}` is not declared in any file read"),
            Self::Uneven(_) => f.write_str("a stride has more modes than its shape"),
            Self::NoBody(name) => write!(f, "the body of `{name}` is not visible"),
            Self::NotEvaluated(name) => write!(f, "`{name}` is not evaluated yet"),
            Self::Unbound(name) => {
                write!(
                    f,
                    "template parameter `{name}` has no visible instantiation"
                )
            }
            Self::OpenPack(name) => {
                write!(f, "the length of the pack `{name}` is unknown")
            }
            Self::Parameter(name) => write!(f, "no visible call gives `{name}` a value"),
            Self::Changed(name) => write!(f, "`{name}` changes after its declaration"),
            Self::RunTime(what) => write!(f, "{what} is known only at run time"),
            Self::Raised(class, why) => write!(f, "{why} (Python's `{class}`)"),
            Self::Ambiguous(name) => write!(f, "several declarations of `{name}` match"),
            Self::OfBuild(name) => write!(f, "`{name}` has a value that depends on the build"),
            Self::Refused(rule, _) => write!(f, "refused: {rule}"),
            Self::Unsuitable(name, takes) => write!(f, "`{name}` needs {takes}"),
            Self::NotEnabled => f.write_str("its `enable_if` condition is false"),
            // A kind of a syntax tree's node is one word: `list_comprehension`.
            Self::Construct(what) if what.contains('_') && !what.contains(' ') => {
                write!(
                    f,
                    "syntax that is not evaluated: {}",
                    what.replace('_', " ")
                )
            }
            Self::Construct(what) => write!(f, "{what} is not evaluated"),
            Self::NoMember(member, of) => write!(f, "`{of}` has no visible member `{member}`"),
            Self::MemberNotEvaluated(member, of) => {
                write!(f, "the member `{member}` of `{of}` is not evaluated yet")
            }
            Self::NotIncluded(path, why) => write!(f, "`{path}` cannot be read: {why}"),
            Self::Outside(path, leads_to) => {
                write!(
                    f,
                    "`{path}` is not read: it leads out of the workspace, to {leads_to}"
                )
            }
            Self::OtherVersion(major, minor) => {
                let (ours, ours_minor) = cute_hardware::collective::CUTLASS_VERSION;
                write!(
                    f,
                    "the include path has CUTLASS {major}.{minor}, but only the builders of {ours}.{ours_minor} are modelled"
                )
            }
            Self::Circular(name) => write!(f, "`{name}` is defined in terms of itself"),
            Self::Limit(what) => write!(f, "evaluation limit reached: {what}"),
            Self::Steps(steps) => {
                write!(f, "evaluation limit reached: {steps} steps in one function")
            }
            Self::Ended(place, why) => write!(f, "the trace ends at {place}: {why}"),
        }
    }
}
