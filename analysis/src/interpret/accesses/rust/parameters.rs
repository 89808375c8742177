//! Parameters of kernels in Rust: those whose value an attribute gives, and structs in no file that was read.

use tree_sitter_cute::tree::{Binding, Ident};

use super::super::held::{Held, Local, Ty};
use super::super::{AXES, Walker};
use crate::access::terms::IntKind;

impl<'u> Walker<'_, 'u> {
    /// A parameter of a kernel of `rust-gpu` whose value an attribute gives, `#[spirv(global_invocation_id)]`; whether it is
    /// one (SPIR-V, `BuiltIn`).
    pub(in crate::interpret::accesses) fn declare_builtin(
        &mut self,
        param: &'u Binding,
        name: &'u Ident,
        ty: &Ty,
    ) -> bool {
        let Some(init) = &param.init else {
            return false;
        };
        let word = match init.as_plain_name() {
            Some("workgroup") => {
                self.walk_shared(name, ty, (false, 1));
                return true;
            }
            Some("local_invocation_index") => {
                let Some(index) = self.rank("threadIdx", "blockDim", init) else {
                    return false;
                };
                let local = Local::new(Held::Int(index), Ty::Int(IntKind::UNSIGNED));
                self.declare(&name.name, local);
                return true;
            }
            Some("global_invocation_id") => None,
            Some("local_invocation_id") => Some("threadIdx"),
            Some("workgroup_id") => Some("blockIdx"),
            Some("num_workgroups") => Some("gridDim"),
            _ => return false,
        };
        let mut parts = Vec::new();
        for axis in 0..AXES.len() {
            let part = match word {
                Some(word) => self.builtin(word, axis, init),
                None => self.along(axis, init).map(Held::Int),
            };
            parts.extend(part);
        }
        let held = self.parts("uint3", parts);
        self.declare(&name.name, Local::new(held, Ty::Auto));
        true
    }

    /// Whether a name is a parameter of the kernel, of Rust, whose struct is in no file that was read: its numbers are the
    /// same for all threads.
    pub(in crate::interpret::accesses) fn is_of_unread_type(&self, name: &str) -> bool {
        let local = self.find(name);
        let is_open = local.is_some_and(|local| {
            matches!(local.held, Held::Other(..)) && matches!(local.ty, Ty::Open(..))
        });
        let mut params = self.declared.kernel.params.iter();
        self.it.is_rust()
            && is_open
            && self.calls.is_empty()
            && params.any(|param| {
                let of = param.name.as_ref();
                param.specifiers.constant && of.is_some_and(|of| of.name == name)
            })
    }
}
