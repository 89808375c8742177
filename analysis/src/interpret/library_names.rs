//! Names of the libraries whose words the vocabulary has.

use cute_algebra::Int;
use tree_sitter_cute::tree::{Segment, Span};

use super::Interpreter;
use super::deduction::expands_open_pack;
use super::frame::Frame;
use super::ids::ModuleId;
use super::integers::numeric_limit;
use super::libraries::LIBRARIES;
use super::names::Meaning;
use super::program::Declared;
use crate::fact::WordKind;
use crate::reason::Reason;
use crate::types::Type;
use crate::value::{Truth, Value};
use crate::vocabulary;

/// Words of the vocabulary that are something else in a namespace: `cutlass::Coord<3>` is a vector of three
/// integers, `cute::Coord<..>` a tuple.
pub(super) const OTHER_WORDS: &[(&str, &str)] = &[("cutlass", "Coord")];

/// Namespaces inside of CUTLASS and CuTe, which sources inside or after `using namespace cutlass` name
/// without it.
pub(super) const NESTED_LIBRARIES: &[&str] = &[
    "arch",
    "collective",
    "conv",
    "detail",
    "epilogue",
    "fusion",
    "gemm",
    "kernel",
    "layout",
    "lazy",
    "platform",
    "thread",
    "threadblock",
    "transform",
    "warp",
];

impl<'u> Interpreter<'u> {
    /// Whether a module is a namespace of a library, or inside of one.
    pub(super) fn is_in_library(&self, module: ModuleId) -> bool {
        self.lookups
            .is_of_library(module, || self.is_inside_of_library(module))
    }

    pub(super) fn is_inside_of_library(&self, module: ModuleId) -> bool {
        let mut next = Some(module);
        while let Some(id) = next {
            let is_library = self.program.module(0).is_some_and(|root| {
                LIBRARIES
                    .iter()
                    .any(|name| root.children.get(name) == Some(&id))
            });
            if is_library {
                return true;
            }
            next = self.program.module(id).and_then(|module| module.parent);
        }
        false
    }

    /// Whether a scope is a namespace inside a library whose names are visible here: `detail::x` in
    /// `cutlass::gemm`.
    pub(super) fn is_unseen_library(&self, segment: &Segment, frame: &Frame<'u>) -> bool {
        let name = segment.name.name.as_str();
        if segment.args.is_some() || !NESTED_LIBRARIES.contains(&name) {
            return false;
        }
        let opens_library = |paths: &[Vec<&str>]| {
            paths
                .iter()
                .any(|path| path.first().is_some_and(|first| LIBRARIES.contains(first)))
        };
        let mut next = Some(frame.owner.module);
        while let Some(id) = next {
            let Some(module) = self.program.module(id) else {
                break;
            };
            if opens_library(&module.opened) {
                return true;
            }
            next = module.parent;
        }
        opens_library(&frame.opened) || self.is_in_library(frame.owner.module)
    }

    /// `cute::GMMA::Major::K`: names of the hardware's that live in separate scopes.
    pub(super) fn meaning_in_hardware(
        &mut self,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Option<Meaning<'u>> {
        let first = segments
            .iter()
            .position(|segment| !LIBRARIES.contains(&segment.name.name.as_str()))?;
        // `SM90::GMMA`, which `using namespace SM90` shows as `GMMA`, too.
        let is_opened = |pair: &[Segment]| {
            matches!(pair, [opened, scope, ..] if is_architecture(&opened.name.name)
                && vocabulary::is_hardware_scope(&scope.name.name))
        };
        let segments = segments.get(first..)?;
        let segments = match segments {
            [_, rest @ ..] if is_opened(segments) => rest,
            segments => segments,
        };
        let (last, scopes) = segments.split_last()?;
        if !vocabulary::is_hardware_scope(&scopes.first()?.name.name)
            || vocabulary::function(&last.name.name).is_some()
        {
            return None;
        }
        let args = last
            .args
            .as_ref()
            .map(|args| self.library_arguments(args, frame));
        let names: Vec<&str> = scopes
            .iter()
            .map(|segment| segment.name.name.as_str())
            .collect();
        let answer = vocabulary::hardware_name(&names, &last.name.name, args.as_deref());
        Some(Meaning::Value(self.answer(
            answer,
            Vec::new(),
            last.name.span,
            &[],
            frame,
        )))
    }

    /// `cute::x`, `cutlass::arch::X`, `std::is_same_v<..>`, `cute::conditional_t<..>::member`.
    pub(super) fn meaning_in_library(
        &mut self,
        segments: &'u [Segment],
        frame: &mut Frame<'u>,
    ) -> Meaning<'u> {
        let Some((last, scopes)) = segments.split_last() else {
            return Meaning::Nothing(Reason::Construct("an empty name"));
        };
        if let Some(other) = other_word(segments) {
            return other;
        }
        let typed = scopes.iter().position(|segment| segment.args.is_some());
        let Some(typed) = typed else {
            return Meaning::Vocabulary(last);
        };
        let Some(segment) = scopes.get(typed) else {
            return Meaning::Vocabulary(last);
        };
        let rest = segments.get(typed + 1..).unwrap_or_default();
        if let (Some([ty]), [member], "numeric_limits") =
            (segment.args.as_deref(), rest, segment.name.name.as_str())
        {
            let limit = match self.eval_type(ty, frame) {
                Type::Scalar(ty) => numeric_limit(ty, &member.name.name),
                _ => None,
            };
            let unknown = || Value::Unknown(Reason::NotEvaluated("numeric_limits".into()));
            return Meaning::Value(limit.unwrap_or_else(unknown));
        }
        let value = self.vocabulary_name(segment, segment.name.span, frame);
        self.members_of(value, rest, frame)
    }

    /// Whether the declarations of a name in a library are those of the vocabulary: all of them are in the library's
    /// own files, and the vocabulary has the name.
    pub(super) fn is_of_vocabulary(&self, declared: Declared<'u>, segment: &Segment) -> bool {
        let of_library = |span: Span| {
            let file = self.program.file_of(span);
            file.is_some_and(crate::sources::SourceFile::is_library)
        };
        let all_of_library = match declared {
            Declared::Functions(ids) => ids.iter().all(|id| {
                self.file_of_function(*id)
                    .is_some_and(crate::sources::SourceFile::is_library)
            }),
            Declared::Records(ids) => ids.iter().all(|id| {
                self.record(*id)
                    .and_then(|record| record.name.as_ref())
                    .is_some_and(|name| of_library(name.span))
            }),
            Declared::At(span) => span.is_some_and(of_library),
        };
        let name = segment.name.name.as_str();
        all_of_library
            && (vocabulary::knows(name, segment.args.as_ref().map(Vec::len))
                || super::launchers::is_launcher(name))
    }

    /// A word of the vocabulary that is not called.
    pub(super) fn vocabulary_name(
        &mut self,
        segment: &'u Segment,
        span: Span,
        frame: &mut Frame<'u>,
    ) -> Value {
        if let Some(answer) = self
            .standard_question(segment, frame)
            .or_else(|| self.standard_trait(segment, frame))
        {
            return answer;
        }
        let name = self.standard_name(segment);
        let args = segment
            .args
            .as_ref()
            .map(|args| self.library_arguments(args, frame));
        if let Some(open) = args.as_deref().and_then(expands_open_pack) {
            return Value::Unknown(open);
        }
        let args = args.map(|args| self.with_open_numbers(name, args, segment));
        let args = args.map(|args| self.with_values_of_traits(name, args));
        if let Some(answer) = args.as_deref().and_then(|args| self.base_trait(name, args)) {
            return answer;
        }
        if let Some(args) = args.as_deref()
            && let Some(answer) = self
                .same_by_origin(segment, args, frame)
                .or_else(|| self.declared_atom_type(name, args))
        {
            return answer;
        }
        if let Some(builtin) = vocabulary::builtin(name) {
            return Value::Builtin(builtin);
        }
        if let Some(args) = args.as_deref()
            && let Some(answer) = vocabulary::collective(name, args, self.surroundings())
        {
            let operands = segment.args.as_deref().unwrap_or_default();
            return self.answer(answer, Vec::new(), span, operands, frame);
        }
        if let Some(answer) = vocabulary::name(name, args.as_deref()) {
            let values = args.as_deref().unwrap_or_default();
            let answer = self.told_by_qualifiers(name, segment, answer, values, frame);
            if let Some(operation) = vocabulary::operation_of(name, &answer) {
                self.recorder
                    .note_word(segment.name.span, WordKind::Operation(operation), frame);
            }
            let operands = segment.args.as_deref().unwrap_or_default();
            return self.answer(answer, Vec::new(), span, operands, frame);
        }
        if vocabulary::function(name).is_some() {
            return Value::Function(name.into());
        }
        Value::Unknown(Reason::Undeclared(name.into()))
    }

    /// The word of the vocabulary for a name, which CuTe and the standard may both have and mean differently.
    pub(super) fn standard_name(&self, segment: &'u Segment) -> &'u str {
        let name = segment.name.name.as_str();
        let start = segment.name.span.start;
        let is_standard = || {
            let scope = Span::new(start.saturating_sub("std::".len()), start);
            self.program.slice(scope) == "std::"
        };
        match name {
            "is_integral" if is_standard() => "is_std_integral",
            "is_integral_v" if is_standard() => "is_std_integral_v",
            // CuTe's counts modes.
            "rank_v" | "rank" if is_standard() && segment.args.is_some() => "std::rank",
            _ => name,
        }
    }

    /// `Int<Traits::kN>` of an open parameter is an integer in any case: a symbol.
    pub(super) fn with_open_numbers(
        &self,
        name: &str,
        mut args: Vec<Value>,
        segment: &'u Segment,
    ) -> Vec<Value> {
        const LONGEST: usize = 40;
        if matches!(name, "Int" | "C")
            && let [arg @ Value::Unknown(Reason::Unbound(_))] = args.as_mut_slice()
            && let Some([written]) = segment.args.as_deref()
        {
            let words: Vec<&str> = self
                .program
                .slice(written.span)
                .split_whitespace()
                .collect();
            let text = words.join(" ");
            if text.len() <= LONGEST {
                *arg = Value::Int(Int::symbol(&text));
            }
        }
        args
    }

    /// `is_base_of<Base, Derived>` of classes of the sources.
    pub(super) fn base_trait(&mut self, name: &str, args: &[Value]) -> Option<Value> {
        let is_value = match name {
            "is_base_of_v" => true,
            "is_base_of" => false,
            _ => return None,
        };
        if let Some(unknown) = args.iter().find(|arg| matches!(arg, Value::Unknown(_))) {
            return Some(unknown.clone());
        }
        let [Value::Type(base), Value::Type(derived)] = args else {
            return None;
        };
        let (base, derived) = (
            self.with_class_of_tag(base),
            self.with_class_of_tag(derived),
        );
        let decided = match (&base, &derived) {
            (Type::Unknown(reason), _) | (_, Type::Unknown(reason)) => {
                return Some(Value::Unknown(reason.clone()));
            }
            (Type::Parameter(name), _) | (_, Type::Parameter(name)) => {
                return Some(Value::Unknown(Reason::Unbound(name.clone())));
            }
            (Type::Record(base), Type::Record(derived)) => {
                self.derives_from(derived.instance, base.instance)
            }
            // Descriptors of shared memory are iterators over them.
            (Type::Named(base), Type::Named(derived))
                if base.ends_with("MMA::DescriptorIterator") =>
            {
                let scope = base.trim_end_matches("DescriptorIterator");
                Some(
                    derived
                        .strip_prefix(scope)
                        .is_some_and(|name| name.starts_with("smem_desc<")),
                )
            }
            (Type::Named(base), Type::Scalar(_)) if base.ends_with("MMA::DescriptorIterator") => {
                Some(false)
            }
            // A class of the sources is a base of other classes of the sources only.
            (
                Type::Record(_),
                Type::Scalar(_) | Type::Pointer(_) | Type::Array(..) | Type::Of(_) | Type::Class(_),
            ) => Some(false),
            _ => None,
        };
        let Some(truth) = decided else {
            let takes = Reason::Unsuitable(name.into(), "classes with visible bases");
            return Some(Value::Unknown(takes));
        };
        Some(if is_value {
            Value::Bool(Truth::run_time(truth))
        } else {
            let constant = Value::Bool(Truth::fixed(truth));
            Value::Type(Box::new(Type::Of(Box::new(constant))))
        })
    }
}

/// A name of a library that is not the vocabulary's word.
pub(super) fn other_word<'u>(segments: &[Segment]) -> Option<Meaning<'u>> {
    let [scope, last] = segments else {
        return None;
    };
    let name = (scope.name.name.as_str(), last.name.name.as_str());
    OTHER_WORDS.contains(&name).then(|| {
        let text = format!("{}::{}", name.0, name.1);
        Meaning::Nothing(Reason::NotEvaluated(text.into()))
    })
}

/// Whether a namespace is that of an architecture: `SM90::GMMA`.
pub(super) fn is_architecture(name: &str) -> bool {
    name.strip_prefix("SM").is_some_and(|digits| {
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}
