//! Results of looking for names, which hold until more is declared.

use std::cell::RefCell;
use std::rc::Rc;

use super::ids::ModuleId;
use crate::hash::{HashMap, HashSet};

/// A name in a module, with the number of its template arguments.
pub(super) type NameIn<'u> = (ModuleId, &'u str, Option<usize>);

/// Places of names. Headers that are read later declare more: then it begins anew.
#[derive(Debug, Default)]
pub(super) struct Lookups<'u> {
    /// The modules whose names are visible in a module.
    visible: RefCell<HashMap<ModuleId, Rc<[ModuleId]>>>,
    /// Names that no module declares which is visible in a module.
    undeclared: HashSet<NameIn<'u>>,
    /// Whether a module is a namespace of a library, or inside of one.
    of_library: RefCell<HashMap<ModuleId, bool>>,
}

impl<'u> Lookups<'u> {
    /// Forgets where names are, as more is declared now.
    pub(super) fn forget(&mut self) {
        *self = Self::default();
    }

    /// The modules whose names are visible in a module, looked for once.
    pub(super) fn visible_in(
        &self,
        module: ModuleId,
        look: impl FnOnce() -> Rc<[ModuleId]>,
    ) -> Rc<[ModuleId]> {
        if let Some(known) = self.visible.borrow().get(&module) {
            return Rc::clone(known);
        }
        let found = look();
        self.visible.borrow_mut().insert(module, Rc::clone(&found));
        found
    }

    /// Whether a module is a namespace of a library, or inside of one; looked for once.
    pub(super) fn is_of_library(&self, module: ModuleId, look: impl FnOnce() -> bool) -> bool {
        if let Some(known) = self.of_library.borrow().get(&module) {
            return *known;
        }
        let found = look();
        self.of_library.borrow_mut().insert(module, found);
        found
    }

    /// Whether a name is known to be declared nowhere.
    pub(super) fn is_undeclared(&self, name: &NameIn<'u>) -> bool {
        self.undeclared.contains(name)
    }

    /// Notes that a name is declared nowhere.
    pub(super) fn note_undeclared(&mut self, name: NameIn<'u>) {
        self.undeclared.insert(name);
    }
}
