//! Parts of a header that its users instantiate: function templates, class templates, and members of those.

use std::ops::Range;
use std::sync::Arc;

use tree_sitter_cute::tree::{Function, Item, ItemKind, Path, Record, Span};

use super::heads::{is_generic, name_of};
use crate::sources::SourceFile;
use crate::walk;

/// A function or class of a header.
#[derive(Debug)]
pub(super) struct Instantiable {
    /// As facts name it.
    pub(super) name: Arc<str>,
    /// The span of the declaration.
    span: Span,
    pub(super) kind: Kind,
    /// The class that it is a member of, by its place among the others.
    outer: Option<usize>,
    /// Whether it has template parameters of itself.
    is_template: bool,
}

/// The kind of declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Function,
    Class,
}

impl Instantiable {
    /// Whether it has template parameters, so that its instances are made by calls or names.
    pub(super) fn is_generic(&self) -> bool {
        self.is_template
    }
}

/// The functions and classes of a header, outer ones first.
#[derive(Debug, Default)]
pub(super) struct Instantiables(Vec<Instantiable>);

impl Instantiables {
    /// Those of a file, as a translation unit reads it: macros may have made functions, or their heads.
    pub(super) fn of<'f>(file: &SourceFile, expanded: impl Iterator<Item = &'f Function>) -> Self {
        let mut all = Self::default();
        all.add(&file.unit().items, None);
        for function in expanded {
            let name = &function.name;
            let mut around = all.0.iter_mut();
            // The one whose head it is written in.
            if let Some(entry) = around.rfind(|entry| entry.span.encloses(name.span)) {
                entry.name = name.name.as_str().into();
                entry.is_template = is_generic(function);
            }
        }
        all
    }

    fn add(&mut self, items: &[Item], outer: Option<usize>) {
        for item in items {
            match &item.kind {
                ItemKind::Function(function) => self.add_function(function, item.span, outer),
                ItemKind::Record(record) => self.add_class(record, item.span, outer),
                ItemKind::Namespace(_) | ItemKind::Conditional(_) => {
                    walk::inner_items(item, &mut |inner| self.add(inner, outer));
                }
                _ => {}
            }
        }
    }

    fn add_function(&mut self, function: &Function, span: Span, outer: Option<usize>) {
        if function.body.is_none() {
            return;
        }
        // A method that is defined outside of its class is as much inside of it as the others.
        let class = function.scope.as_ref().and_then(Path::last);
        let class = class.and_then(|class| {
            let is_class =
                |it: &Instantiable| it.kind == Kind::Class && *it.name == *class.name.name;
            self.0.iter().position(is_class)
        });
        self.0.push(Instantiable {
            name: function.name.name.as_str().into(),
            span,
            kind: Kind::Function,
            outer: outer.or(class),
            is_template: is_generic(function),
        });
    }

    fn add_class(&mut self, record: &Record, span: Span, outer: Option<usize>) {
        let Some(members) = &record.members else {
            return;
        };
        let index = self.0.len();
        self.0.push(Instantiable {
            name: name_of(record).into(),
            span,
            kind: Kind::Class,
            outer,
            is_template: !record.tparams.is_empty(),
        });
        self.add(members, Some(index));
    }

    /// Those with a name.
    pub(super) fn named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Instantiable> {
        self.0.iter().filter(move |entry| *entry.name == *name)
    }

    /// The names of those that have instances and overlap some bytes. A class that has its members elsewhere is not
    /// meant.
    pub(super) fn seen_in(&self, range: &Range<usize>) -> Vec<Arc<str>> {
        let mut names = Vec::new();
        for (index, entry) in self.0.iter().enumerate() {
            if self.has_instances(entry)
                && touches(entry.span, range)
                && !self.is_seen_inside(index, range)
                && !names.contains(&entry.name)
            {
                names.push(Arc::clone(&entry.name));
            }
        }
        names
    }

    /// Whether all that is seen of a class is inside of one of its functions or classes.
    fn is_seen_inside(&self, class: usize, range: &Range<usize>) -> bool {
        let mut members = self.0.iter();
        members.any(|member| {
            member.outer == Some(class)
                && member.span.start <= range.start
                && range.end <= member.span.end
        })
    }

    /// Whether it is outside of classes.
    pub(super) fn is_outermost(&self, entry: &Instantiable) -> bool {
        self.classes_around(entry).next().is_none()
    }

    /// Whether it is a template, or inside of one.
    fn has_instances(&self, entry: &Instantiable) -> bool {
        let mut around = Some(entry);
        while let Some(entry) = around {
            if entry.is_template {
                return true;
            }
            around = entry.outer.and_then(|outer| self.0.get(outer));
        }
        false
    }

    /// The outermost class around something, or it itself, where the instances of the two are the same ones: nothing
    /// between them is a template.
    pub(super) fn class_of<'a>(&'a self, entry: &'a Instantiable) -> Option<&'a Instantiable> {
        let mut found = entry;
        while let Some(outer) = found.outer.and_then(|outer| self.0.get(outer)) {
            if found.is_template {
                return None;
            }
            found = outer;
        }
        (found.kind == Kind::Class).then_some(found)
    }

    /// The classes around something, itself included where it is one.
    pub(super) fn classes_around<'a>(
        &'a self,
        entry: &'a Instantiable,
    ) -> impl Iterator<Item = &'a Instantiable> {
        let outer = move |entry: &&'a Instantiable| entry.outer.and_then(|outer| self.0.get(outer));
        std::iter::successors(Some(entry), outer).filter(|entry| entry.kind == Kind::Class)
    }
}

impl Instantiables {
    /// A declaration has its name and those of the classes around it.
    pub(super) fn names_around<'a>(&'a self, name: &'a Arc<str>) -> impl Iterator<Item = &'a str> {
        let around = self
            .named(name)
            .flat_map(move |entry| self.classes_around(entry));
        std::iter::once(&**name).chain(around.map(|entry| &*entry.name))
    }
}

fn touches(span: Span, range: &Range<usize>) -> bool {
    span.start <= range.end && range.start <= span.end
}
