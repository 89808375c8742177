//! Shared memory of kernels in Rust.

use std::sync::Arc;

use tree_sitter_cute::tree::{Binding, Expr, ExprKind, Ident, Item, ItemKind, Path};

use super::super::Walker;
use super::super::held::{Held, Pointer, Ty};
use crate::access::terms::IntKind;
use crate::access::{AccessSpace, INDEX, Memory};

impl<'u> Walker<'_, 'u> {
    /// Shared memory that the file declares outside of functions.
    pub(in crate::interpret::accesses) fn declare_statics(&mut self) {
        let files: Vec<_> = self.it.program.files().collect();
        for file in files {
            self.declare_statics_of(&file.unit().items);
        }
    }

    fn declare_statics_of(&mut self, items: &'u [Item]) {
        for item in items {
            match &item.kind {
                ItemKind::Binding(binding) => {
                    self.declare_static(binding);
                }
                ItemKind::Namespace(module) => self.declare_statics_of(&module.items),
                _ => {}
            }
        }
    }

    /// `static mut TILE: SharedArray<f32, 256>`; whether it is one.
    pub(in crate::interpret::accesses) fn declare_static(&mut self, binding: &'u Binding) -> bool {
        let (Some(name), Some(written)) = (&binding.name, &binding.ty) else {
            return false;
        };
        let is_one = binding.specifiers.is_static
            && written
                .as_path()
                .and_then(Path::last)
                .is_some_and(|last| last.name.name == "SharedArray");
        if is_one {
            let ty = self.ty(written);
            let args = written.as_path().and_then(Path::last);
            let align = args.and_then(|last| last.args.as_deref()?.get(2));
            let align = align.map(|align| self.term(align));
            let align = align.and_then(|align| self.out.terms.as_number(align));
            self.walk_shared(name, &ty, (false, align.unwrap_or(1)));
        }
        is_one
    }

    /// `let tile = shared_array![f32; 256]` of `cuda_std`, `SharedArray::<f32, 256>::UNINIT` of `cuda-oxide`, and
    /// `SharedMemory::<f32>::new(256)` of `CubeCL`.
    pub(in crate::interpret::accesses) fn declare_shared_of_rust(
        &mut self,
        name: &'u Ident,
        binding: &'u Binding,
    ) -> bool {
        let Some((element, count)) = binding.init.as_ref().and_then(shared_of_init) else {
            return false;
        };
        let ty = self.array_of_elements(element, count);
        self.walk_shared(name, &ty, (false, 1));
        true
    }

    /// `DynamicSharedArray::<f32>::get()`, and `offset(bytes)`.
    pub(in crate::interpret::accesses) fn dynamic_shared(
        &mut self,
        path: &'u Path,
        bytes: Option<&'u Expr>,
    ) -> Option<Held<'u>> {
        let [.., class, method] = path.segments.as_slice() else {
            return None;
        };
        let [element, ..] = class.args.as_deref()? else {
            return None;
        };
        if class.name.name != "DynamicSharedArray" {
            return None;
        }
        let target = match method.name.name.as_str() {
            "get_raw" => Ty::Int(IntKind::new(8, false)),
            _ => self.ty(element),
        };
        let memory = Memory {
            name: "dynamic shared memory".into(),
            space: AccessSpace::Shared,
            element: self.size(target.innermost()),
            extent: None,
            lengths: Arc::default(),
            declared: Some(class.name.span),
            align: 1,
            is_dynamic: true,
        };
        let offset = match bytes {
            Some(bytes) => {
                let bytes = self.term(bytes);
                self.terms().convert(bytes, INDEX)
            }
            None => self.terms().number(0, INDEX),
        };
        Some(Held::Pointer(Pointer {
            memory: Some(memory.into()),
            offset,
            target,
            length: None,
        }))
    }
}

/// The type of the elements and their number in a value that is shared memory.
fn shared_of_init(init: &Expr) -> Option<(&Expr, &Expr)> {
    match &init.kind {
        ExprKind::Macro(call) if call.path.last()?.name.name == "shared_array" => {
            let [array] = call.args.as_deref()? else {
                return None;
            };
            match &array.kind {
                ExprKind::Array(element, Some(count)) => Some((element, count)),
                _ => None,
            }
        }
        ExprKind::Call(callee, args) => {
            let [.., class, method] = callee.as_path()?.segments.as_slice() else {
                return None;
            };
            let is_new = class.name.name == "SharedMemory" && method.name.name == "new";
            let element = class.args.as_deref()?.first()?;
            Some((element, args.first().filter(|_| is_new)?))
        }
        ExprKind::Name(path) => {
            let [.., class, constant] = path.segments.as_slice() else {
                return None;
            };
            let is_one = class.name.name == "SharedArray" && constant.name.name == "UNINIT";
            match class.args.as_deref()? {
                [element, count, ..] if is_one => Some((element, count)),
                _ => None,
            }
        }
        _ => None,
    }
}
