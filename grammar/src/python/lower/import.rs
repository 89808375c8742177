//! Imports: names taken from modules.

use tree_sitter::Node;

use super::{Lowering, fields, named_children, path, span};
use crate::tree::{Ident, Item, ItemKind, Using, UsingKind};

impl Lowering<'_> {
    /// `import a.b`, `import a.b as c`. The first binds `a`, and says so by naming it.
    pub(super) fn import(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        for name in fields(node, "name") {
            let (module, alias) = self.aliased(name);
            let using = match alias {
                Some(alias) => Using {
                    kind: UsingKind::NamespaceAlias(alias),
                    path: path(module),
                },
                None => Using {
                    kind: UsingKind::Declaration,
                    path: path(module.into_iter().take(1).collect()),
                },
            };
            items.push(Item::new(ItemKind::Using(using), span(name)));
        }
    }

    /// `from a.b import c, d as e`, `from a import *`. A name relative to the package is named from a scope `.`, which
    /// is not a name of any visible module.
    pub(super) fn import_from(&mut self, node: Node<'_>, items: &mut Vec<Item>) {
        let module = match node.child_by_field_name("module_name") {
            Some(module) if module.kind() == "relative_import" => {
                let mut names = vec![Ident {
                    name: ".".to_owned(),
                    span: span(module),
                }];
                for child in named_children(module) {
                    names.extend(self.dotted(child));
                }
                names
            }
            Some(module) => self.dotted(module),
            None => return,
        };
        for name in fields(node, "name") {
            let (tail, alias) = self.aliased(name);
            let names = [module.clone(), tail].concat();
            let Some(bound) = alias.or_else(|| names.last().cloned()) else {
                continue;
            };
            let using = Using {
                kind: UsingKind::NamespaceAlias(bound),
                path: path(names),
            };
            items.push(Item::new(ItemKind::Using(using), span(name)));
        }
        let star = named_children(node)
            .into_iter()
            .find(|child| child.kind() == "wildcard_import");
        if let Some(star) = star {
            let using = Using {
                kind: UsingKind::Namespace,
                path: path(module),
            };
            items.push(Item::new(ItemKind::Using(using), span(star)));
        }
    }

    fn aliased(&self, name: Node<'_>) -> (Vec<Ident>, Option<Ident>) {
        if name.kind() != "aliased_import" {
            return (self.dotted(name), None);
        }
        let module = name
            .child_by_field_name("name")
            .map(|module| self.dotted(module))
            .unwrap_or_default();
        let alias = name.child_by_field_name("alias");
        (module, alias.map(|alias| self.ident(alias)))
    }
}
