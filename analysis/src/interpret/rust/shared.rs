//! Shared memory that a kernel in Rust declares.

use cute_hardware::multiprocessor::BARRIER_BYTES;
use tree_sitter_cute::tree::{Binding, Expr, ExprKind};

use crate::interpret::Interpreter;
use crate::interpret::frame::Frame;
use crate::interpret::names::Meaning;
use crate::origin::Root;
use crate::reason::Reason;
use crate::trace::{SharedLayout, SharedObject, SharedPart};
use crate::types::Type;

impl<'u> Interpreter<'u> {
    /// Notes `static mut TILE: SharedArray<f32, 256, 128>`, `static mut BAR: Barrier` and arrays in the address space of
    /// shared memory.
    pub(in crate::interpret) fn trace_shared_of_rust(
        &mut self,
        binding: &'u Binding,
        frame: &mut Frame<'u>,
    ) {
        let (Some(run), Some(name), Some(ty)) = (frame.actions.run, &binding.name, &binding.ty)
        else {
            return;
        };
        if !frame.mode.recording || !binding.specifiers.is_static {
            return;
        }
        let recording = frame.mode.pause();
        let layout = self.layout_in_shared(ty, binding.specifiers.shared, frame);
        frame.mode.recording = recording;
        if let Some(layout) = layout {
            let object = SharedObject {
                name: name.name.as_str().into(),
                span: name.span,
                root: Root::Variable(name.span),
                is_dynamic: false,
                layout,
            };
            self.keep_shared(run, object);
        }
    }

    /// The layout of an object of a written type; nothing for one that is not in shared memory.
    fn layout_in_shared(
        &mut self,
        ty: &'u Expr,
        is_shared: bool,
        frame: &mut Frame<'u>,
    ) -> Option<Result<SharedLayout, Reason>> {
        if let ExprKind::Array(element, Some(count)) = &ty.kind
            && is_shared
        {
            return Some(self.array_in_shared((element, count, None), frame));
        }
        let path = ty.as_path()?;
        let Meaning::Library(name) = self.meaning(path, frame) else {
            return None;
        };
        let args = path.last()?.args.as_deref().unwrap_or_default();
        match (name.names.last().copied()?, args) {
            ("SharedArray", [element, count, align @ ..]) => {
                Some(self.array_in_shared((element, count, align.first()), frame))
            }
            ("Barrier", []) => {
                let bytes = BARRIER_BYTES.cast_unsigned();
                Some(Ok(whole(bytes, bytes, true)))
            }
            _ => None,
        }
    }

    fn array_in_shared(
        &mut self,
        (element, count, align): (&'u Expr, &'u Expr, Option<&'u Expr>),
        frame: &mut Frame<'u>,
    ) -> Result<SharedLayout, Reason> {
        let each = self.bytes_of_rust(element, frame)?;
        let count = self.constant_number(count, frame)?;
        let align = match align {
            Some(align) => self.constant_number(align, frame)?,
            None => 0,
        };
        let size = each.checked_mul(count);
        let size = size.ok_or(Reason::Construct("an array that is too large"))?;
        Ok(whole(size, each.max(align), false))
    }

    /// Bytes of a scalar, or of an array of them.
    fn bytes_of_rust(&mut self, ty: &'u Expr, frame: &mut Frame<'u>) -> Result<u64, Reason> {
        if let ExprKind::Array(element, Some(count)) = &ty.kind {
            let each = self.bytes_of_rust(element, frame)?;
            let count = self.constant_number(count, frame)?;
            let bytes = count.checked_mul(each);
            return bytes.ok_or(Reason::Construct("an array that is too large"));
        }
        if let Some(last) = ty.as_path().and_then(|path| path.last())
            && last.name.name == "MaybeUninit"
            && let Some([inner]) = last.args.as_deref()
        {
            return self.bytes_of_rust(inner, frame);
        }
        match self.eval_type(ty, frame) {
            Type::Scalar(scalar) => Ok(u64::from(scalar.bits.div_ceil(8))),
            Type::Unknown(reason) => Err(reason),
            other => Err(Reason::NotEvaluated(other.to_string().into())),
        }
    }
}

/// An object without members.
fn whole(size: u64, align: u64, is_barrier: bool) -> SharedLayout {
    let part = SharedPart {
        path: Vec::new(),
        offset: 0,
        size,
        is_barrier,
    };
    SharedLayout {
        size,
        align,
        parts: vec![part],
    }
}
