//! Calls of a kernel of the DSL as those of CuTe C++, and the actions that they are.

use tree_sitter_cute::script::{Arg, ArgKind, Expr, ExprKind};
use tree_sitter_cute::tree::{self, Span};

use super::super::observed::{Call, Callee};
use super::expressions::{called, member_of, name};
use super::statements::Lowering;
use crate::tensor::Space;
use crate::trace::ActionKind;
use crate::value::Value;

/// An action, with the values of its operands as C++ has them.
pub(super) struct Done {
    pub(super) kind: ActionKind,
    pub(super) values: Vec<Value>,
    pub(super) result: Value,
}

/// Actions of the kernel without a result that order nothing between threads and copies.
const HARMLESS: &[&str] = &["nanosleep", "prefetch", "griddepcontrol_launch_dependents"];

/// Functions that the rules look for, by their name in both languages.
const SAME: &[&str] = &[
    "elem_less",
    "make_identity_tensor",
    "make_tiled_copy_A",
    "make_tiled_copy_B",
    "make_tiled_copy_C",
];

/// Functions that only ask which thread it is, by the name that CUTLASS has for them in C++.
const OF_THREADS: &[(&str, &str)] = &[
    ("warp_idx", "canonical_warp_idx_sync"),
    ("lane_idx", "canonical_lane_idx"),
    ("elect_one", "elect_one_sync"),
];

/// Parts of a call: where it is, and its arguments.
struct Written<'e> {
    span: Span,
    /// The name that is called, and where.
    name: &'e str,
    at: Span,
    object: Option<&'e Expr>,
    args: &'e [Arg],
}

impl<'e> Written<'e> {
    /// The argument at a position, or by its name.
    fn argument(&self, at: usize, name: &str) -> Option<&'e Expr> {
        let plain = self.args.iter().filter(|arg| arg.kind == ArgKind::Plain);
        let by_name = self
            .args
            .iter()
            .find(|arg| matches!(&arg.kind, ArgKind::Named(known) if &*known.text == name));
        plain.clone().nth(at).or(by_name).map(|arg| &arg.value)
    }

    fn has_stars(&self) -> bool {
        let mut args = self.args.iter();
        args.any(|arg| matches!(arg.kind, ArgKind::Star | ArgKind::DoubleStar))
    }
}

impl Lowering<'_> {
    /// Whether a context is `elect_one()`.
    pub(super) fn is_election(&self, context: &Expr) -> bool {
        let ExprKind::Call(callee, _) = &context.kind else {
            return false;
        };
        let written = match &callee.kind {
            ExprKind::Name(name) => name,
            ExprKind::Attribute(_, name) => &name.text,
            _ => return false,
        };
        let call = self.observed.call(self.activation, context.span);
        let is_native = call.is_some_and(|call| matches!(call.callee, Callee::Native(_)));
        is_native && &**written == "elect_one"
    }

    pub(super) fn call(&mut self, expr: &Expr, callee: &Expr, args: &[Arg]) -> tree::Expr {
        let (object, written, at) = match &callee.kind {
            ExprKind::Attribute(object, name) => (Some(&**object), &*name.text, name.span),
            ExprKind::Name(name) => (None, &**name, callee.span),
            _ => (None, "", callee.span),
        };
        let written = Written {
            span: expr.span,
            name: written,
            at,
            object,
            args,
        };
        let known = self.observed.call(self.activation, expr.span);
        let Some(call) = known.filter(|_| !written.has_stars()) else {
            return self.unknown(&written);
        };
        match call.callee {
            Callee::Number => match args {
                [only] => self.expr(&only.value),
                _ => self.unknown(&written),
            },
            Callee::Native(native) => self
                .of_library(&written, native, call)
                .unwrap_or_else(|| self.harmless_or_not(&written, native)),
            Callee::Library | Callee::Allocator if is_memory(&call.result) => {
                self.memory(&written, call)
            }
            Callee::Library if is_value(&call.result) => self.computed(&written),
            Callee::Word if SAME.contains(&written.name) => self.same(&written),
            Callee::Word | Callee::Allocator => self.computed(&written),
            Callee::Library | Callee::Other => self.unknown(&written),
        }
    }

    /// A call that may do anything, with what it is given.
    fn unknown(&mut self, written: &Written<'_>) -> tree::Expr {
        let given = self.given(written);
        let callee = tree::Expr::new(tree::ExprKind::Opaque("a function of Python"), written.at);
        tree::Expr::new(tree::ExprKind::Call(Box::new(callee), given), written.span)
    }

    /// A function that has the same name and arguments in C++.
    fn same(&mut self, written: &Written<'_>) -> tree::Expr {
        let args = written.args.iter().map(|arg| self.expr(&arg.value));
        let args = args.collect();
        called(written.name, written.at, args, written.span)
    }

    /// A call that only computes: its operands are evaluated.
    fn computed(&mut self, written: &Written<'_>) -> tree::Expr {
        if let Some(number) = self.observed.number(self.activation, written.span) {
            return tree::Expr::new(tree::ExprKind::Int(number), written.span);
        }
        let given = self.given(written);
        tree::Expr::new(tree::ExprKind::Tuple(given), written.span)
    }

    /// The object and the arguments of a call; modules are not objects.
    fn given(&mut self, written: &Written<'_>) -> Vec<tree::Expr> {
        let object = written
            .object
            .filter(|object| matches!(&object.kind, ExprKind::Name(name) if self.is_sliced(name)));
        let args = written.args.iter().map(|arg| &arg.value);
        object
            .into_iter()
            .chain(args)
            .map(|given| self.expr(given))
            .collect()
    }

    fn harmless_or_not(&mut self, written: &Written<'_>, native: &str) -> tree::Expr {
        let may_order = matches!(native, "cutlass.cute.action" | "cutlass.cute.truth");
        if may_order && !HARMLESS.contains(&written.name) {
            self.unknown(written)
        } else {
            self.computed(written)
        }
    }

    /// A tensor that is laid on separate memory.
    fn memory(&mut self, written: &Written<'_>, call: &Call) -> tree::Expr {
        let given = self.given(written);
        let values = Vec::new();
        self.done(written.span, ActionKind::Lay, values, call.result.clone());
        called("make_tensor", written.at, given, written.span)
    }

    fn done(&mut self, place: Span, kind: ActionKind, values: Vec<Value>, result: Value) {
        self.acts.insert(
            place,
            Done {
                kind,
                values,
                result,
            },
        );
    }

    /// A function that the rules know.
    fn of_library(
        &mut self,
        written: &Written<'_>,
        native: &'static str,
        call: &Call,
    ) -> Option<tree::Expr> {
        match native {
            "cutlass.cute.copy" => self.copy(written, call),
            "cutlass.cute.autovec_copy" | "cutlass.cute.basic_copy" => self.operation(
                written,
                call,
                ("copy", ActionKind::Copy),
                &[(0, "src"), (1, "dst")],
            ),
            "cutlass.cute.gemm" => {
                // The result is written where it is read.
                let (d, c) = (written.argument(1, "d")?, written.argument(4, "c")?);
                if !is_one_place(d, c) {
                    return None;
                }
                let operands = [(0, "atom"), (2, "a"), (3, "b"), (4, "c")];
                self.operation(written, call, ("gemm", ActionKind::Gemm), &operands)
            }
            "cutlass.cute.local_tile" => {
                let parts = [(0, "input"), (1, "tiler"), (2, "coord")];
                let mut operands = parts.to_vec();
                if written.argument(3, "proj").is_some() {
                    operands.push((3, "proj"));
                }
                self.operation(
                    written,
                    call,
                    ("local_tile", ActionKind::LocalTile),
                    &operands,
                )
            }
            "TiledCopy.get_slice" | "TiledMma.get_slice" => {
                self.method(written, call, "get_slice", Some(ActionKind::ThreadSlice))
            }
            "ThrCopy.partition_S"
            | "ThrCopy.partition_D"
            | "ThrMma.partition_A"
            | "ThrMma.partition_B"
            | "ThrMma.partition_C" => {
                let (_, method) = native.split_once('.')?;
                self.method(written, call, method, Some(ActionKind::Partition))
            }
            "TiledCopy.retile" => self.method(written, call, "retile_D", None),
            "MmaAtom.make_fragment_A" if is_in_registers(&call.result) => {
                self.method(written, call, "partition_fragment_A", None)
            }
            "MmaAtom.make_fragment_B" if is_in_registers(&call.result) => {
                self.method(written, call, "partition_fragment_B", None)
            }
            "MmaAtom.make_fragment_A" | "MmaAtom.make_fragment_B" | "MmaAtom.make_fragment_C" => {
                let (_, method) = native.split_once('.')?;
                self.method(written, call, method, None)
            }
            "Tensor.fill" => {
                let object = self.expr(written.object?);
                Some(called("fill", written.at, vec![object], written.span))
            }
            "MmaAtom.set" => self.accumulates(written),
            _ if SAME.contains(&written.name) && native.starts_with("cutlass.cute.") => {
                Some(self.same(written))
            }
            "cutlass.const_expr" => Some(self.expr(written.argument(0, "expression")?)),
            _ => self.of_threads(written, native),
        }
    }

    /// `mma.set(Field.ACCUMULATE, True)`: `mma.accumulate_ = One` of C++.
    fn accumulates(&mut self, written: &Written<'_>) -> Option<tree::Expr> {
        let (field, value) = (written.argument(0, "field")?, written.argument(1, "value")?);
        if !matches!(&field.kind, ExprKind::Attribute(_, name) if &*name.text == "ACCUMULATE") {
            return None;
        }
        let object = self.expr(written.object?);
        let value = match value.kind {
            ExprKind::Bool(true) => name("One", value.span),
            ExprKind::Bool(false) => name("Zero", value.span),
            _ => self.expr(value),
        };
        let assignment = tree::Assignment {
            op: None,
            target: member_of(object, "accumulate_", written.at, written.at),
            value,
        };
        let assigned = tree::ExprKind::Assign(Box::new(assignment));
        Some(tree::Expr::new(assigned, written.span))
    }

    /// Barriers of all threads, groups of copies, and the index of the thread.
    fn of_threads(&mut self, written: &Written<'_>, native: &str) -> Option<tree::Expr> {
        let is_action = native == "cutlass.cute.action";
        let of_all =
            |name: &str, args: Vec<tree::Expr>| called(name, written.at, args, written.span);
        match written.name {
            "sync_threads" | "barrier"
                if is_action && (written.name == "sync_threads" || written.args.is_empty()) =>
            {
                self.done(
                    written.span,
                    ActionKind::SyncThreads,
                    Vec::new(),
                    Value::Nothing,
                );
                Some(of_all("__syncthreads", Vec::new()))
            }
            "sync_warp" if is_action => Some(self.computed(written)),
            "cp_async_commit_group" if is_action => {
                self.done(
                    written.span,
                    ActionKind::CommitCopies,
                    Vec::new(),
                    Value::Nothing,
                );
                Some(of_all("cp_async_fence", Vec::new()))
            }
            "cp_async_wait_group" if is_action => {
                let open = written.argument(0, "n")?;
                let known = self.observed.call(self.activation, written.span)?;
                let values = vec![known.argument(0, "n")?.clone()];
                self.done(written.span, ActionKind::WaitCopies, values, Value::Nothing);
                let open = self.expr(open);
                Some(of_all("cp_async_wait", vec![open]))
            }
            "make_warp_uniform" if native == "cutlass.cute.number" => {
                Some(self.expr(written.argument(0, "value")?))
            }
            asked if native == "cutlass.cute.integer" => {
                let (_, known) = OF_THREADS.iter().find(|(name, _)| *name == asked)?;
                Some(of_all(known, Vec::new()))
            }
            _ => None,
        }
    }

    /// `copy(atom, src, dst)`, with or without a predicate.
    fn copy(&mut self, written: &Written<'_>, call: &Call) -> Option<tree::Expr> {
        let pred = call.named.iter().find(|(name, _)| &**name == "pred");
        let is_predicated = pred.is_some_and(|(_, value)| *value != Value::Underscore);
        let (name, kind) = match is_predicated {
            true => ("copy_if", ActionKind::CopyWhere),
            false => ("copy", ActionKind::Copy),
        };
        let mut operands = vec![(0, "atom"), (1, "src"), (2, "dst")];
        if is_predicated {
            operands.insert(1, (usize::MAX, "pred"));
        }
        self.operation(written, call, (name, kind), &operands)
    }

    /// A function with some of its arguments, in the order of C++.
    fn operation(
        &mut self,
        written: &Written<'_>,
        call: &Call,
        (function, kind): (&str, ActionKind),
        operands: &[(usize, &str)],
    ) -> Option<tree::Expr> {
        let mut args = Vec::new();
        let mut values = Vec::new();
        for (at, name) in operands {
            args.push(self.expr(written.argument(*at, name)?));
            values.push(call.argument(*at, name)?.clone());
        }
        self.done(written.span, kind, values, call.result.clone());
        Some(called(function, written.at, args, written.span))
    }

    /// A method of one argument.
    fn method(
        &mut self,
        written: &Written<'_>,
        call: &Call,
        method: &str,
        kind: Option<ActionKind>,
    ) -> Option<tree::Expr> {
        let object = self.expr(written.object?);
        let [arg] = written.args else { return None };
        let args = vec![self.expr(&arg.value)];
        if let Some(kind) = kind {
            let named = call.named.iter().map(|(_, value)| value);
            let values = call.values.iter().chain(named).cloned().collect();
            self.done(written.span, kind, values, call.result.clone());
        }
        let callee = member_of(
            object,
            method,
            written.at,
            Span::new(written.span.start, written.at.end),
        );
        Some(tree::Expr::new(
            tree::ExprKind::Call(Box::new(callee), args),
            written.span,
        ))
    }
}

fn is_in_registers(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.engine.space == Space::Registers)
}

/// A value that does nothing by itself.
fn is_value(value: &Value) -> bool {
    matches!(
        value,
        Value::Tensor(_)
            | Value::Pointer(_)
            | Value::Layout(_)
            | Value::TiledCopy(_)
            | Value::TiledMma(_)
            | Value::Int(_)
    )
}

fn is_memory(value: &Value) -> bool {
    matches!(value, Value::Tensor(tensor) if tensor.engine.space == Space::Shared)
}

/// Whether two expressions name one object: a name, an attribute or an element by numbers and names.
fn is_one_place(one: &Expr, other: &Expr) -> bool {
    match (&one.kind, &other.kind) {
        (ExprKind::Name(one), ExprKind::Name(other)) => one == other,
        (ExprKind::Attribute(one, first), ExprKind::Attribute(other, second)) => {
            first.text == second.text && is_one_place(one, other)
        }
        (ExprKind::Subscript(one, first), ExprKind::Subscript(other, second)) => {
            is_one_place(one, other) && is_one_place(first, second)
        }
        (ExprKind::Tuple(one), ExprKind::Tuple(other)) => {
            let mut pairs = one.iter().zip(other);
            one.len() == other.len() && pairs.all(|(one, other)| is_one_place(one, other))
        }
        (ExprKind::Int(one), ExprKind::Int(other)) => one == other,
        (ExprKind::None, ExprKind::None) => true,
        _ => false,
    }
}
