//! Known faults of versions of the CuTe DSL: calls of a source, against the version that its project requires.
//!
//! The version is that of the file's own metadata (`# /// script`), else that of [`Sources::package_version`]. Where no
//! exact version is known, nothing is said.

use tree_sitter_cute::tree::{Expr, ExprKind, Item, ItemKind, Span};

use crate::finding::{Finding, Number, Severity};
use crate::sources::{SourceFile, Sources};
use crate::walk;

/// The stable name of the rule.
const RULE: &str = "known-fault";
/// The package of the CuTe DSL.
const PACKAGE: &str = "nvidia-cutlass-dsl";

/// An exact version of a package, and the extras that are requested.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageVersion {
    /// `4.5.1`, `4.4.0.dev1`.
    pub version: String,
    /// `cu13`.
    pub extras: Vec<String>,
}

/// A fault of some versions.
struct Fault {
    /// The number of its thread in NVIDIA's repository of CUTLASS.
    thread: i64,
    /// The first and the last version that has it.
    versions: (&'static str, &'static str),
    /// Whether only the libraries for CUDA 13 have it.
    only_cu13: bool,
    /// The description of the fault.
    what: &'static str,
    /// The first version without it, or the remedy.
    instead: &'static str,
    /// Whether an expression is the one that it is about; other parts of the file are found by name.
    is_at: fn(&Expr, &Statements<'_>) -> bool,
}

/// The statements of a file.
struct Statements<'u>(&'u [Item]);

impl<'u> Statements<'u> {
    /// Whether there is a name, or a text, of these letters.
    fn has(&self, name: &str) -> bool {
        mentions(self.0, name)
    }

    /// The initialiser of a variable, by its name.
    fn initialiser(&self, variable: &Expr) -> Option<&'u Expr> {
        let name = variable.as_plain_name()?;
        let mut found: Option<&'u Expr> = None;
        walk::items(self.0, &mut |item| {
            if let ItemKind::Binding(binding) = &item.kind
                && binding.name.as_ref().is_some_and(|own| own.name == name)
            {
                found = binding.init.as_ref();
            }
        });
        found
    }
}

/// The faults, by their threads. Each was read in the thread; versions are those that it names.
const FAULTS: &[Fault] = &[
    Fault {
        thread: 2695,
        versions: ("4.2.1", "4.2.1"),
        only_cu13: false,
        what: "aborts where a swizzled tensor is printed",
        instead: "print its layout",
        is_at: |expr, file| {
            is_call(expr, "printf", &|args| {
                let mut printed = args.iter().skip(1);
                printed.any(|arg| is_swizzled(arg, file))
            })
        },
    },
    Fault {
        thread: 3001,
        versions: ("4.4.0.dev1", "4.4.0.dev1"),
        only_cu13: false,
        what: "has no module `cutlass`",
        instead: "4.4.0.dev0 has",
        is_at: |expr, _| expr.as_plain_name() == Some("cutlass"),
    },
    Fault {
        thread: 3061,
        versions: ("4.4.0.dev1", "4.4.0.dev1"),
        only_cu13: false,
        what: "does not compile a lambda with a conditional expression",
        instead: "use a function",
        is_at: |expr, _| match &expr.kind {
            ExprKind::Lambda(lambda) => {
                let mut found = false;
                walk::expressions(&lambda.body, &mut |part| {
                    found |= matches!(part.kind, ExprKind::Ternary(..));
                });
                found
            }
            _ => false,
        },
    },
    Fault {
        thread: 3170,
        versions: ("4.4.0", "4.4.2"),
        only_cu13: false,
        what: "emits PTX that ptxas refuses for block-scaled FP4 products of sm_120",
        instead: "4.6.0 does not",
        is_at: |expr, _| is_call(expr, "MmaMXF4NVF4Op", &|_| true),
    },
    Fault {
        thread: 3210,
        versions: ("4.5.0", "4.5.0"),
        only_cu13: false,
        what: "spills a vector to local memory whose elements are indexed",
        instead: "index the tensor before `load()`",
        is_at: |expr, file| match &expr.kind {
            ExprKind::Index(vector, _) => is_vector(vector, file),
            _ => false,
        },
    },
    Fault {
        thread: 3219,
        versions: ("4.4.2", "4.5.0"),
        only_cu13: false,
        what: "rounds to zero in `range(.., vectorize=True)`",
        instead: "4.5.1 rounds to nearest",
        is_at: |expr, _| {
            is_call(expr, "range", &|args| {
                keyword(args, "vectorize")
                    .is_some_and(|value| matches!(value.kind, ExprKind::Bool(true)))
            })
        },
    },
    Fault {
        thread: 3227,
        versions: ("4.5.0", "4.5.0"),
        only_cu13: false,
        what: "emits PTX that ptxas refuses for block-scaled products of sm_120",
        instead: "4.5.1 does not",
        is_at: |expr, _| {
            ["MmaMXF4NVF4Op", "MmaMXF4Op", "MmaMXF8Op"]
                .iter()
                .any(|name| is_call(expr, name, &|_| true))
        },
    },
    Fault {
        thread: 3232,
        versions: ("4.5.0", "4.5.0"),
        only_cu13: true,
        what: "has no `block_copy` in its libraries for CUDA 13",
        instead: "4.5.1 has",
        is_at: |expr, _| is_call(expr, "block_copy", &|_| true),
    },
    Fault {
        thread: 3241,
        versions: ("4.5.0", "4.5.1"),
        only_cu13: true,
        what: "drops predicated copies",
        instead: "4.4.2 and the libraries for CUDA 12 do not",
        is_at: |expr, _| is_call(expr, "copy", &|args| keyword(args, "pred").is_some()),
    },
    Fault {
        thread: 3281,
        versions: ("4.4.0", "4.5.2"),
        only_cu13: false,
        what: "crashes on `MmaFP8Op` for sm_120",
        instead: "use `MmaMXF8Op`",
        is_at: |expr, file| {
            let of_120 = ["sm_120", "sm_120a", "sm_121", "sm_121a"];
            is_call(expr, "MmaFP8Op", &|_| true) && of_120.iter().any(|arch| file.has(arch))
        },
    },
    Fault {
        thread: 3420,
        versions: ("4.6.0", "4.6.2"),
        only_cu13: false,
        what: "crashes on `tcgen05.ld` of 64 columns beside `setmaxnreg`",
        instead: "4.6.3 and 4.7.1 do not",
        is_at: is_wide_load,
    },
    Fault {
        thread: 3420,
        versions: ("4.7.0", "4.7.0"),
        only_cu13: false,
        what: "crashes on `tcgen05.ld` of 64 columns beside `setmaxnreg`",
        instead: "4.6.3 and 4.7.1 do not",
        is_at: is_wide_load,
    },
    Fault {
        thread: 3463,
        versions: ("4.7.0", "4.7.0"),
        only_cu13: false,
        what: "may store converted BFloat16 tiles element by element",
        instead: "4.5.3 stores 16 bytes at once",
        is_at: |expr, file| {
            is_call(expr, "autovec_copy", &|_| true) && file.has("BFloat16") && file.has("to")
        },
    },
    Fault {
        thread: 3573,
        versions: ("4.6.0", "4.7.1"),
        only_cu13: false,
        what: "does not compile remote operations of NCCL's device API",
        instead: "4.5.2 does",
        is_at: |expr, file| {
            file.has("nccl")
                && file.has("Gin")
                && (is_call(expr, "put", &|_| true) || is_call(expr, "signal", &|_| true))
        },
    },
];

/// The known faults that a file of Python runs into.
pub(crate) fn findings(file: &SourceFile, sources: &dyn Sources) -> Vec<Finding> {
    let items = &file.unit().items;
    if !mentions(items, "cutlass") {
        return Vec::new();
    }
    let known = own_version(file.text()).or_else(|| sources.package_version(file, PACKAGE));
    let Some(known) = known else {
        return Vec::new();
    };
    let Some(version) = parsed(&known.version) else {
        return Vec::new();
    };
    let is_cu13 = known.extras.iter().any(|extra| extra == "cu13");
    let statements = Statements(items);
    let mut found: Vec<Finding> = Vec::new();
    for fault in FAULTS {
        let (Some(first), Some(last)) = (parsed(fault.versions.0), parsed(fault.versions.1)) else {
            continue;
        };
        if version < first || version > last || fault.only_cu13 && !is_cu13 {
            continue;
        }
        let mut at: Option<Span> = None;
        walk::expressions(items, &mut |expr| {
            if at.is_none() && (fault.is_at)(expr, &statements) {
                at = Some(expr.span);
            }
        });
        found.extend(at.map(|span| said(fault, &known, is_cu13, span)));
    }
    found
}

fn said(fault: &Fault, known: &PackageVersion, is_cu13: bool, span: Span) -> Finding {
    let libraries = if is_cu13 && fault.only_cu13 {
        " [cu13]"
    } else {
        ""
    };
    let (version, what, thread) = (&known.version, fault.what, fault.thread);
    let message = format!(
        "CuTe DSL {version}{libraries} {what}\nNVIDIA/cutlass#{thread}: {}",
        fault.instead
    );
    Finding {
        numbers: vec![
            ("version".to_owned(), Number::Text(version.clone())),
            ("thread".to_owned(), Number::Integer(thread)),
        ],
        ..Finding::new(RULE, Severity::Warning, span, message)
    }
}

/// The numbers of a version, a development version before the others: (4, 4, 0, 1) is `4.4.0.dev1`, (4, 4, 0, MAX) `4.4.0`.
fn parsed(version: &str) -> Option<(u32, u32, u32, u32)> {
    let mut parts = version.trim().split('.');
    let mut number = || parts.next()?.parse::<u32>().ok();
    let (major, minor, patch) = (number()?, number()?, number()?);
    let last = match parts.next() {
        None => u32::MAX,
        Some(rest) => rest.strip_prefix("dev")?.parse().ok()?,
    };
    Some((major, minor, patch, last))
}

/// The version that the metadata of a script asks for: `# dependencies = ["nvidia-cutlass-dsl[cu13]==4.5.1"]` between
/// `# /// script` and `# ///`.
fn own_version(text: &str) -> Option<PackageVersion> {
    let (_, block) = text.split_once("# /// script")?;
    let (block, _) = block.split_once("# ///")?;
    block.split(['"', '\'']).find_map(pinned)
}

/// The exact version in a requirement, `nvidia-cutlass-dsl[cu13]==4.5.1`.
///
/// ```
/// use cute_analysis::pinned_version;
/// let pinned = pinned_version("nvidia-cutlass-dsl[cu13]==4.5.1", "nvidia-cutlass-dsl").unwrap();
/// assert_eq!((pinned.version.as_str(), pinned.extras.len()), ("4.5.1", 1));
/// assert!(pinned_version("nvidia-cutlass-dsl>=4.5.1", "nvidia-cutlass-dsl").is_none());
/// ```
pub fn pinned_version(requirement: &str, package: &str) -> Option<PackageVersion> {
    let requirement = requirement.split([';', '#']).next()?.trim();
    let rest = requirement.strip_prefix(package)?.trim_start();
    let (extras, rest) = match rest.strip_prefix('[') {
        Some(inside) => inside.split_once(']')?,
        None => ("", rest),
    };
    let version = rest.trim_start().strip_prefix("==")?.trim();
    parsed(version)?;
    Some(PackageVersion {
        version: version.to_owned(),
        extras: extras
            .split(',')
            .map(|extra| extra.trim().to_owned())
            .filter(|extra| !extra.is_empty())
            .collect(),
    })
}

fn pinned(requirement: &str) -> Option<PackageVersion> {
    pinned_version(requirement, PACKAGE)
}

/// Whether a file has a name, or a text, of these letters.
fn mentions(items: &[Item], wanted: &str) -> bool {
    let mut found = false;
    walk::items(items, &mut |item| {
        if let ItemKind::Using(using) = &item.kind {
            walk::subexpressions(&using.path, &mut |part| found |= is_named(part, wanted));
        }
    });
    walk::expressions(items, &mut |expr| found |= is_named(expr, wanted));
    found
}

fn is_named(expr: &Expr, wanted: &str) -> bool {
    match &expr.kind {
        ExprKind::Name(path) => path.segments.iter().any(|part| part.name.name == wanted),
        ExprKind::Member { member, .. } => member.name.name == wanted,
        ExprKind::Str(text) => text == wanted,
        _ => false,
    }
}

/// Whether an expression is a call of this name whose arguments are right.
fn is_call(expr: &Expr, name: &str, are_right: &dyn Fn(&[Expr]) -> bool) -> bool {
    let ExprKind::Call(callee, args) = &expr.kind else {
        return false;
    };
    let called = match &callee.kind {
        ExprKind::Name(path) => path.last().map(|last| &last.name.name),
        ExprKind::Member { member, .. } => Some(&member.name.name),
        _ => None,
    };
    called.is_some_and(|called| called == name) && are_right(args)
}

/// The value of a keyword argument.
fn keyword<'e>(args: &'e [Expr], name: &str) -> Option<&'e Expr> {
    args.iter().find_map(|arg| match &arg.kind {
        ExprKind::Designated(keyword, value) if keyword.name == name => Some(&**value),
        _ => None,
    })
}

/// Whether an expression is a vector that a tensor of registers is loaded as: `r.load()`, `r.load().to(Float32)`.
fn is_vector(expr: &Expr, file: &Statements<'_>) -> bool {
    if let Some(init) = file.initialiser(expr) {
        return !init.span.encloses(expr.span) && is_vector_itself(init);
    }
    is_vector_itself(expr)
}

fn is_vector_itself(expr: &Expr) -> bool {
    if is_call(expr, "load", &<[Expr]>::is_empty) {
        return true;
    }
    match &expr.kind {
        ExprKind::Call(callee, _) => match &callee.kind {
            ExprKind::Member { object, member, .. } => {
                member.name.name == "to" && is_vector_itself(object)
            }
            _ => false,
        },
        _ => false,
    }
}

/// Whether a variable is a tensor that is allocated with a swizzled layout.
fn is_swizzled(variable: &Expr, file: &Statements<'_>) -> bool {
    file.initialiser(variable).is_some_and(|init| {
        is_call(init, "allocate_tensor", &|args| {
            let mut layouts = args.iter().filter_map(|arg| file.initialiser(arg));
            layouts.any(|layout| is_call(layout, "make_composed_layout", &|_| true))
        })
    })
}

/// `Ld32x32bOp(tcgen05.copy.Repetition(64))` in a file that gives registers back.
fn is_wide_load(expr: &Expr, file: &Statements<'_>) -> bool {
    let is_wide = |args: &[Expr]| {
        args.first().is_some_and(|repetition| {
            is_call(repetition, "Repetition", &|args| {
                matches!(args.first().map(|arg| &arg.kind), Some(ExprKind::Int(64)))
            }) || is_named(repetition, "x64")
        })
    };
    is_call(expr, "Ld32x32bOp", &is_wide)
        && (file.has("warpgroup_reg_dealloc") || file.has("setmaxregister_decrease"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_are_in_order() {
        assert!(parsed("4.4.0.dev1") < parsed("4.4.0"));
        assert!(parsed("4.5.10") > parsed("4.5.9"));
        assert_eq!(parsed("4.5"), None);
        assert_eq!(parsed("latest"), None);
    }
}
