//! Operators between objects of classes of the sources: `index / divisor`.

use tree_sitter_cute::tree::{BinaryOp, Expr};

use super::super::overloads::Selection;
use super::super::site::Site;
use super::Walker;
use super::bodies::Callee;
use super::held::Held;
use super::methods::Receiver;
use super::roots::named_root;

impl<'u> Walker<'_, 'u> {
    /// The result of the operator of the sources that `left op right` calls; nothing where none is visible.
    pub(super) fn operator_called(
        &mut self,
        expr: &'u Expr,
        op: BinaryOp,
        (left, right): (&'u Expr, &'u Expr),
    ) -> Option<Held<'u>> {
        if self.it.is_rust() {
            return None;
        }
        let classes = [left, right].map(|operand| self.class_named(operand));
        if classes == [None, None] {
            return None;
        }
        let name = format!("operator{}", op.text());
        if let [Some(class), _] = classes
            && self.it.inherited_methods(class, &name).is_some()
        {
            let receiver = self.receiver(left, false);
            let args = std::slice::from_ref(right);
            return Some(self.method(expr, (receiver, left), (&name, None), args));
        }
        let named = {
            let mut modules = self.it.visible_modules(&self.frame).to_vec();
            let of_classes = classes.iter().flatten();
            modules.extend(of_classes.map(|class| self.it.module_of_record(*class)));
            modules.sort_unstable();
            modules.dedup();
            let ids = modules.into_iter().filter_map(|module| {
                let module = self.it.program.module(module)?;
                module.functions.get(name.as_str())
            });
            let ids: Vec<_> = ids.flatten().copied().collect();
            self.it.named_functions(&ids)
        };
        if named.is_empty() {
            return None;
        }
        let values: Vec<Held<'u>> = [left, right]
            .into_iter()
            .zip(classes)
            .map(|(operand, class)| match class {
                Some(_) => match self.receiver(operand, false) {
                    Receiver::Own(parts) | Receiver::Given(parts) => Held::Parts(parts),
                    Receiver::At(place) => Held::Pointed(place),
                    Receiver::Value(held) => held,
                    Receiver::This => Held::Other("an object".into(), None),
                },
                None => self.value(operand),
            })
            .collect();
        let chosen = match self.overload(&named, None, &[], &values) {
            Selection::One(chosen) if chosen.function.body.is_some() => chosen,
            _ => {
                self.unseen();
                let why = format!("which `{name}` is called is not known");
                return Some(Held::Other(why.into(), None));
            }
        };
        let callee = Callee {
            function: chosen.function,
            site: Site {
                module: chosen.module,
                record: None,
                this: None,
            },
            tparams: chosen.bound.tparams,
            own: None,
        };
        Some(self.walk_function(callee, (&[], values)).0)
    }

    /// The class of the sources of an object that an expression names.
    fn class_named(&mut self, operand: &'u Expr) -> Option<usize> {
        if let Some(local) = self.part(operand) {
            let ty = local.held.ty(&self.out.terms);
            return ty.and_then(|ty| ty.instance());
        }
        // Most operands are numbers: they are not evaluated twice.
        self.given_class(named_root(operand)?)?;
        self.given_by_name(operand)?.instance()
    }
}
