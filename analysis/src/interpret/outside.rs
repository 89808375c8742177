//! Methods that are defined outside of their class: `template <class T> void Foo<T>::run() { .. }`.

use tree_sitter_cute::tree::{Function, Item, ItemKind, TemplateParam};

use super::ids::ModuleId;
use super::program::{Outside, Program, RecordDecl};

impl<'u> Program<'u> {
    /// The definition of a method that a class only declares, as a member of it.
    pub(super) fn definition_of(&self, class: RecordDecl<'u>, item: &Item) -> Option<&'u Item> {
        let ItemKind::Function(declared) = &item.kind else {
            return None;
        };
        let record = class.record;
        if declared.body.is_some() || record.special_args.is_some() {
            return None;
        }
        let name = record.name.as_ref()?.name.as_str();
        let mut fits = self.apart.outside.get(name)?.iter().filter(|defined| {
            let function = defined.function;
            self.is_of_class_in(defined, class.module)
                && function.body.is_some()
                && function.name.name == declared.name.name
                && function.params.len() == declared.params.len()
                && function.flags.constant == declared.flags.constant
                && of_class(function, &record.tparams).is_some()
        });
        let defined = fits.next()?;
        // Overloads with as many parameters are not told apart.
        if fits.next().is_some() {
            return None;
        }
        let own = of_class(defined.function, &record.tparams)?;
        let mut function = defined.function.clone();
        function.tparams = own.to_vec();
        let kind = ItemKind::Function(Box::new(function));
        Some(self.environment?.arena.item(Item::new(kind, defined.span)))
    }
}

impl<'u> Program<'u> {
    /// Whether a definition outside of a class may be that of a class in a module: the namespaces in its name lead
    /// there.
    pub(super) fn is_of_class_in(&self, defined: &Outside<'u>, home: ModuleId) -> bool {
        let scope = defined.function.scope.as_ref();
        let names = scope.map_or(&[][..], |scope| scope.segments.as_slice());
        let mut module = defined.module;
        for name in names {
            let found = self.module(module);
            match found.and_then(|found| found.children.get(name.name.name.as_str())) {
                Some(child) if name.args.is_none() => module = *child,
                _ => break,
            }
        }
        let mut next = Some(home);
        while let Some(id) = next {
            if id == module {
                return true;
            }
            next = self.module(id).and_then(|module| module.parent);
        }
        false
    }
}

/// The template parameters of a definition without those of its class, which must have the same
/// names in both places.
fn of_class<'f>(function: &'f Function, class: &[TemplateParam]) -> Option<&'f [TemplateParam]> {
    let (around, own) = function.tparams.split_at_checked(class.len())?;
    let name = |tparam: &TemplateParam| tparam.name.as_ref().map(|name| name.name.clone());
    around
        .iter()
        .zip(class)
        .all(|(a, b)| name(a) == name(b))
        .then_some(own)
}
