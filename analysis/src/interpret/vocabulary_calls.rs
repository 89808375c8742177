//! Calls of functions that the vocabulary knows, and the findings that they make.

use tree_sitter_cute::tree::{Expr, Path, Segment, Span};

use super::Interpreter;
use super::frame::Frame;
use super::launchers::LAUNCHERS;
use crate::fact::WordKind;
use crate::finding::Finding;
use crate::options::Judged;
use crate::reason::{Kept, Reason};
use crate::report::{self, Operand};
use crate::types::Type;
use crate::value::Value;
use crate::vocabulary::{self, Evaluated, Remark};

impl<'u> Interpreter<'u> {
    /// A call of a word of the vocabulary, or the construction of one of its types.
    pub(super) fn call_vocabulary(
        &mut self,
        expr: &'u Expr,
        segment: &'u Segment,
        values: &[Value],
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        let name = segment.name.name.as_str();
        if let Some(function) = vocabulary::function(name) {
            self.recorder
                .note_word(segment.name.span, WordKind::Function(function.name), frame);
            if let Some(value) = self.call_higher_order(expr, function.name, values, frame) {
                return value;
            }
            if let Some(value) = self.place_of_thread(function.name, expr.span) {
                return value;
            }
            let targs = self.template_arguments(Some(segment), frame);
            let declared = self.with_declared_atom(function.name, values);
            let values = declared.as_deref().unwrap_or(values);
            let (answer, remarks) = self.ask_vocabulary(function, &targs, values);
            return self.answer(answer, remarks, expr.span, args, frame);
        }
        if let Some((_, kernel)) = LAUNCHERS.iter().find(|(launcher, _)| *launcher == name)
            && let Some(target @ Value::Callable(_)) = values.get(*kernel)
        {
            let rest = values.get(kernel + 1..).unwrap_or_default();
            self.computed.reports.launch = args.first().and_then(|params| {
                self.cluster_launch_of(expr.span, params, frame)
                    .or_else(|| Self::launch_config_of(expr.span, params, frame))
            });
            let value = self.call_value(expr, target, rest, args, frame);
            self.computed.reports.launch = None;
            return value;
        }
        self.note_kernel_of_class(segment, frame);
        let named = self.vocabulary_name(segment, expr.span, frame);
        match named {
            // `ComposedLayout(a, offset, b)`: the arguments are deduced.
            Value::Type(ty)
                if matches!(*ty, Type::Placeholder)
                    && let Some(answer) = vocabulary::deduced(name, values) =>
            {
                self.answer(answer, Vec::new(), expr.span, args, frame)
            }
            Value::Type(ty) => self.construct_value(&ty, values, frame),
            Value::Unknown(Reason::Undeclared(_)) => Value::Unknown(Reason::NoBody(name.into())),
            other => other,
        }
    }

    /// Definitions of the library that the macros of the file set, and the queries to it.
    pub(super) fn surroundings(&self) -> vocabulary::Surroundings {
        vocabulary::Surroundings {
            extended_wgmma: self.program.is_defined(vocabulary::EXTENDED_SHAPES) == Some(true),
            other_cutlass: self.other_cutlass(),
            memory: self.settings.looks_for.memory == Judged::All,
            is_of_dsl: false,
        }
    }

    /// The version of CUTLASS that the macros say, where it is not that of our rules.
    pub(super) fn other_cutlass(&self) -> Option<(u32, u32)> {
        let [major, minor] = vocabulary::CUTLASS_VERSION.map(|name| {
            let value = self.program.macro_number(name)?;
            u32::try_from(value).ok()
        });
        let version = (major?, minor?);
        (version != cute_hardware::collective::CUTLASS_VERSION).then_some(version)
    }

    /// Calls a function of the vocabulary. In an expression by itself, a shape where only a layout will do is its
    /// compact layout, as in the paper.
    pub(super) fn ask_vocabulary(
        &self,
        function: &vocabulary::Function,
        targs: &[Value],
        values: &[Value],
    ) -> (Evaluated, Vec<Remark>) {
        if function.name == "make_tiled_copy_impl"
            && let Some(even) = without_excess(values)
        {
            let (answer, remarks) = self.ask_vocabulary(function, targs, &even);
            let uneven = |copy: Value| vocabulary::Problem::Unknown(Reason::Uneven(Kept::of(copy)));
            return (answer.and_then(|copy| Err(uneven(copy))), remarks);
        }
        let mut remarks = Vec::new();
        if vocabulary::selects_instructions(function) {
            self.program.note_asked(vocabulary::EXTENDED_SHAPES);
        }
        let answer = function.call_in(self.surroundings(), targs, values, &mut remarks);
        // A part of an open parameter may be a tuple: the result is unknown where it is refused as a number.
        if let Some(open) = values.iter().find_map(Value::open_part)
            && (!remarks.is_empty() || matches!(answer, Err(vocabulary::Problem::Refused(_))))
        {
            return (Err(vocabulary::Problem::Unknown(open)), Vec::new());
        }
        if self.settings.stands_alone
            && matches!(
                answer,
                Err(vocabulary::Problem::Unknown(Reason::Unsuitable(..)))
            )
            && let [first @ Value::Tuple(_), rest @ ..] = values
            && let Some(layout) = first.to_compact_layout()
        {
            let mut values = vec![layout];
            values.extend_from_slice(rest);
            let mut remarks = Vec::new();
            return (function.call(targs, &values, &mut remarks), remarks);
        }
        (answer, remarks)
    }

    /// The value of an answer of the vocabulary; a refusal becomes a finding.
    pub(super) fn answer(
        &mut self,
        answer: Evaluated,
        remarks: Vec<Remark>,
        span: Span,
        args: &'u [Expr],
        frame: &mut Frame<'u>,
    ) -> Value {
        for remark in remarks {
            self.keep_finding(&remark, span, args, frame);
        }
        match answer {
            Ok(value) => value,
            Err(vocabulary::Problem::Unknown(reason)) => Value::Unknown(reason),
            Err(vocabulary::Problem::ForFirst(value)) => self.for_any(&value, span, frame),
            Err(vocabulary::Problem::Refused(remark)) => {
                let result = remark.result.clone();
                self.keep_finding(&remark, span, args, frame);
                result.unwrap_or_else(|| Value::Unknown(remark.reason()))
            }
        }
    }

    pub(super) fn keep_finding(
        &mut self,
        remark: &Remark,
        span: Span,
        args: &'u [Expr],
        frame: &Frame<'u>,
    ) {
        let is_kept = if frame.mode.in_type {
            remark.is_of_types() && self.recorder.is_of_instance(span, frame)
        } else {
            self.recorder.keeps(span, frame)
        };
        if frame.mode.uncertain || !is_kept {
            return;
        }
        let operands: Vec<Operand> = args
            .iter()
            .map(|arg| Operand {
                span: arg.span,
                name: arg.as_plain_name().map(str::to_owned),
            })
            .collect();
        let mut finding: Finding = report::finding(remark, span, &operands);
        finding.instance = frame.owner.instance.as_deref().map(str::to_owned);
        if report::is_unproved(remark) {
            self.recorder.output.unproved.push(finding);
        } else {
            self.recorder.output.findings.push(finding);
        }
    }
}

/// `std::numeric_limits<T>::max`
pub(super) fn is_limit(path: &Path) -> bool {
    let [scope, class, _] = path.segments.as_slice() else {
        return false;
    };
    scope.name.name == "std" && class.name.name == "numeric_limits" && class.args.is_some()
}

/// Arguments with layouts for those whose strides have more modes than their shapes; nothing where there are none.
fn without_excess(values: &[Value]) -> Option<Vec<Value>> {
    let is_uneven = |value: &Value| matches!(value, Value::Unknown(Reason::Uneven(_)));
    values.iter().any(is_uneven).then(|| {
        let even = values.iter().map(|value| match value {
            Value::Unknown(Reason::Uneven(even)) => even.value::<Value>().unwrap_or(value).clone(),
            value => value.clone(),
        });
        even.collect()
    })
}
