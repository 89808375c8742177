//! Variables whose values are not known any more.

use tree_sitter_cute::tree::Item;

use super::Walker;
use super::changes::changed_in;
use super::held::{Held, Local, Ty};

impl<'u> Walker<'_, 'u> {
    /// From here on, the value of a variable is not known.
    pub(super) fn lose(&mut self, name: &'u str, why: &'static str) {
        let is_constant = self.find(name).is_some_and(|local| local.is_constant);
        if !is_constant && self.elsewhere.why(name).is_none() {
            self.elsewhere.lost.push((name, why));
            self.forget(name, why);
        }
    }

    /// The content of a variable whose value is not known any more.
    pub(super) fn lost(&mut self, local: &Local<'u>, why: &str) -> Held<'u> {
        let ty = match &local.held {
            Held::Parts(parts) => parts.ty.clone(),
            _ => None,
        };
        let ty = ty.unwrap_or_else(|| local.ty.clone());
        let held = self.converted(Held::Other(why.into(), None), &ty);
        self.as_object(held, &ty)
    }

    /// Forgets the possible changes of statements that are not walked.
    pub(super) fn forget_changed(&mut self, items: &'u [Item], why: &str) {
        let mut names = changed_in(items, &[]);
        names.extend(self.own_names());
        names.extend(self.indexed_in(items, &[]));
        for name in names {
            self.forget(name, why);
        }
    }

    pub(super) fn forget(&mut self, name: &str, why: &str) {
        let Some(local) = self.find_mut(name) else {
            return;
        };
        if local.is_constant {
            return;
        }
        if let Some(mut content) = local.content.take() {
            for element in &mut content.elements {
                element.held = self.lost(&element.clone(), why);
            }
            if let Some(local) = self.find_mut(name) {
                local.content = Some(content);
            }
            return;
        }
        if matches!(local.ty, Ty::Array(..))
            || matches!(
                local.held,
                Held::Pointed(_) | Held::Lambda(..) | Held::Group(_)
            )
        {
            return;
        }
        let local = local.clone();
        let held = self.lost(&local, why);
        if let Some(local) = self.find_mut(name) {
            local.held = held;
        }
    }
}
