//! Tensor maps that code encodes itself, by `cuTensorMapEncodeTiled`: the box, the swizzle and the strides in its arguments,
//! and what the driver refuses of them.

use cute_algebra::Int;
use cute_hardware::tma::TensorMap;
use tree_sitter_cute::tree::{Expr, ExprKind, ItemKind, LoopKind, Path, UnaryOp};

use super::Interpreter;
use super::accesses::changes::assigned_in;
use super::accesses::roots::root_of_array;
use super::frame::Frame;
use crate::cost::{Cost, Note};
use crate::value::Value;
use crate::vocabulary::{self, tensor_map};
use crate::walk;

/// The function of the driver; wrappers that load it later have its name at their end.
const ENCODE: &str = "cuTensorMapEncodeTiled";
/// Its arguments (CUDA driver API).
const ARGUMENTS: usize = 12;

impl<'u> Interpreter<'u> {
    /// Whether a call encodes a tensor map.
    pub(super) fn encodes_map(path: &Path, args: &[Expr]) -> bool {
        let name = path.last().map(|segment| segment.name.name.as_str());
        args.len() == ARGUMENTS && name.is_some_and(|name| name.ends_with(ENCODE))
    }

    /// Keeps the tensor map of a call, and what the driver refuses of it.
    pub(super) fn keep_map(&mut self, expr: &'u Expr, args: &'u [Expr], frame: &mut Frame<'u>) {
        if !frame.mode.recording || !self.recorder.keeps(expr.span, frame) {
            return;
        }
        let recording = frame.mode.pause();
        let map = self.map_of(args, frame);
        frame.mode.recording = recording;
        let Some(map) = map else { return };
        for remark in tensor_map::refused(&map) {
            self.keep_finding(&remark, expr.span, args, frame);
        }
        let anchor = match &expr.kind {
            ExprKind::Call(callee, _) => callee.span,
            _ => expr.span,
        };
        self.recorder.output.notes.push(Note {
            anchor,
            function: None,
            instance: frame.owner.instance.as_deref().map(str::to_owned),
            cost: Cost::Map(Box::new(map)),
        });
    }

    fn map_of(&mut self, args: &'u [Expr], frame: &mut Frame<'u>) -> Option<TensorMap> {
        let [
            _,
            ty,
            _,
            _,
            dims,
            strides,
            extents,
            steps,
            interleave,
            swizzle,
            promotion,
            fill,
        ] = args
        else {
            return None;
        };
        let data_type = self.code(ty, frame)?;
        let (_, element_bits) = tensor_map::type_of_code(data_type)?;
        let extents = self.elements(extents, frame)?;
        let box_dims: Option<Vec<i64>> = extents.iter().map(vocabulary::number).collect();
        let box_dims = box_dims.filter(|dims| !dims.is_empty())?;
        let rank = box_dims.len();
        // What only the running program has is a symbol.
        let mut open = |expr: &'u Expr, count: usize, it: &mut Self| -> Vec<Int> {
            let known = it.elements(expr, frame).unwrap_or_default();
            let name = it.written(array_of(expr).span);
            (0..count)
                .map(|mode| match known.get(mode).and_then(Value::as_int) {
                    Some(int) => int.clone(),
                    None => Int::symbol(&format!("{name}[{mode}]")),
                })
                .collect()
        };
        let dims = open(dims, rank, self);
        let strides_bytes = open(strides, rank - 1, self);
        let steps = open(steps, rank, self);
        let element_strides: Option<Vec<i64>> = steps.iter().map(Int::value).collect();
        Some(TensorMap {
            data_type,
            element_bits,
            dims,
            strides_bytes,
            box_dims,
            element_strides: element_strides?,
            interleave: self.code(interleave, frame)?,
            swizzle: tensor_map::swizzle_of_code(self.code(swizzle, frame)?)?,
            l2_promotion: self.code(promotion, frame).unwrap_or(0),
            oob_fill: self.code(fill, frame).unwrap_or(0),
        })
    }

    /// A code of the driver: a number, one of its names, or a constant that is initialised with one.
    fn code(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<u8> {
        let expr = behind_cast(expr);
        let named = |expr: &Expr| {
            let name = expr.as_path()?.last()?;
            tensor_map::code_of(&name.name.name)
        };
        if let Some(code) = named(expr) {
            return Some(code);
        }
        if let Some(number) = vocabulary::number(&self.eval(expr, frame)) {
            return u8::try_from(number).ok();
        }
        named(behind_cast(self.only_initialiser(expr, frame)?))
    }

    /// The elements of an array that is given by its name, its address or a pointer to its first element.
    fn elements(&mut self, expr: &'u Expr, frame: &mut Frame<'u>) -> Option<Vec<Value>> {
        let array = array_of(expr);
        if let Value::Tuple(items) = self.eval(array, frame) {
            return Some(items);
        }
        let items = match &self.only_initialiser(array, frame)?.kind {
            ExprKind::Braced(items) => items,
            ExprKind::Construct { args, .. } => args,
            _ => return None,
        };
        Some(self.eval_all(items, frame))
    }

    /// The initialiser of a variable of the function, where nothing else gives it or its parts a value.
    fn only_initialiser(&self, expr: &Expr, frame: &Frame<'u>) -> Option<&'u Expr> {
        let name = expr.as_plain_name()?;
        let run = self.computed.reports.runs.get(frame.actions.run?)?;
        let body = run.function.body.as_deref()?;
        // A function that is called has variables of the same names.
        let is_here = body.iter().any(|item| item.span.encloses(expr.span));
        let is_it = |expr: &Expr| root_of_array(array_of(expr)) == Some(name);
        let (mut found, mut is_changed) = (Vec::new(), false);
        walk::items(body, &mut |item| match &item.kind {
            ItemKind::Binding(binding)
                if binding.name.as_ref().is_some_and(|own| own.name == name) =>
            {
                found.push(binding.init.as_ref());
            }
            // The loop may change the elements.
            ItemKind::Loop(repeat) if repeat.kind == LoopKind::Range => {
                is_changed |= repeat.condition.as_ref().is_some_and(is_it);
            }
            _ => {}
        });
        let mut encoders = Vec::new();
        walk::expressions(body, &mut |expr| {
            // Calls come before their arguments.
            if let ExprKind::Call(callee, args) = &expr.kind
                && callee
                    .as_path()
                    .is_some_and(|path| Self::encodes_map(path, args))
            {
                encoders.push(expr.span);
            }
            if encoders.iter().any(|call| call.encloses(expr.span)) {
                return;
            }
            is_changed |= match &expr.kind {
                ExprKind::Assign(assignment) => is_it(&assignment.target),
                ExprKind::Unary(op, inner) => op.may_change() && is_it(inner),
                // Another function may change the array.
                ExprKind::Call(_, args) => args.iter().any(is_it),
                _ => false,
            };
        });
        let [Some(init)] = found.as_slice() else {
            return None;
        };
        // Its numbers are those of the call only if they do not change either.
        let assigned = assigned_in(body);
        walk::subexpressions(init, &mut |expr| {
            is_changed |= expr
                .as_plain_name()
                .is_some_and(|name| assigned.contains(&name));
        });
        (is_here && !is_changed).then_some(*init)
    }
}

fn behind_cast(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(_, _, inner) => behind_cast(inner),
        _ => expr,
    }
}

/// The array of `array`, `&array[0]`, `array.data()`, `array.as_ptr()` and casts of them.
fn array_of(expr: &Expr) -> &Expr {
    match &expr.kind {
        ExprKind::Cast(_, _, inner) | ExprKind::Unary(UnaryOp::AddressOf, inner) => array_of(inner),
        ExprKind::Index(array, index) if matches!(index.as_slice(), [first] if matches!(first.kind, ExprKind::Int(0))) => {
            array_of(array)
        }
        ExprKind::Call(callee, args) if args.is_empty() => match &callee.kind {
            ExprKind::Member { object, member, .. }
                if matches!(member.name.name.as_str(), "data" | "as_ptr" | "as_mut_ptr") =>
            {
                array_of(object)
            }
            _ => expr,
        },
        _ => expr,
    }
}
