//! Methods that are defined outside of their class: `template <class T> void Foo<T>::run() { .. }`, also those of
//! specialisations and of classes in classes.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Item, ItemKind, Record, Reference, Segment, Span,
    TemplateParam, TemplateParamKind, Visitor, walk_item,
};

use super::ids::ModuleId;
use super::program::{Outside, Program};

/// A class with those around it, and its members.
pub(super) struct Home<'h, 'u> {
    /// The classes around it, outermost first, and itself.
    pub(super) classes: &'h [&'u Record],
    pub(super) module: ModuleId,
    pub(super) members: &'h [&'u Item],
}

impl<'u> Program<'u> {
    /// The definition of a method that a class only declares, as a member of it.
    pub(super) fn definition_of(&self, home: &Home<'_, 'u>, item: &Item) -> Option<&'u Item> {
        let declared = declaration(item)?;
        let name = home.classes.last()?.name.as_ref()?.name.as_str();
        let of_class = self.apart.outside.get(name)?.iter();
        let is_like = |defined: &&Outside<'u>| {
            let function = defined.function;
            function.body.is_some()
                && function.name.name == declared.name.name
                && function.params.len() == declared.params.len()
                && function.flags.constant == declared.flags.constant
        };
        let alike: Vec<(Span, Function)> = of_class
            .filter(is_like)
            .filter_map(|defined| {
                let function = self.as_member(defined, home)?;
                (function.tparams.len() == declared.tparams.len())
                    .then_some((defined.span, function))
            })
            .collect();
        if alike.is_empty() {
            return None;
        }
        let is_overloaded = home
            .members
            .iter()
            .filter_map(|member| declaration(member))
            .any(|other| !std::ptr::eq(other, declared) && is_overload(other, declared));
        let (span, function) = match alike.as_slice() {
            [only] if !is_overloaded => only,
            several => {
                let mut same = several
                    .iter()
                    .filter(|(_, function)| has_types_of(function, declared));
                let first = same.next()?;
                same.next().is_none().then_some(first)?
            }
        };
        let kind = ItemKind::Function(Box::new(completed(function.clone(), declared)));
        Some(self.environment?.arena.item(Item::new(kind, *span)))
    }

    /// A definition outside of a class as a member of it, with the names that the class has for its template
    /// parameters; nothing where it is of another class.
    fn as_member(&self, defined: &Outside<'u>, home: &Home<'_, 'u>) -> Option<Function> {
        let function = defined.function;
        let classes = self.classes_named(defined, home.classes, home.module)?;
        let mut params = function.tparams.as_slice();
        let mut names: Vec<(&str, &str)> = Vec::new();
        for (class, segment) in home.classes.iter().zip(classes) {
            let (own, others) = params.split_at_checked(class.tparams.len())?;
            for (own, of_class) in own.iter().zip(&class.tparams) {
                if own.pack != of_class.pack || !is_same_kind(&own.kind, &of_class.kind) {
                    return None;
                }
                let (Some(own), Some(of_class)) = (&own.name, &of_class.name) else {
                    return None;
                };
                names.push((&own.name, &of_class.name));
            }
            params = others;
            if !is_for(segment, class, &names) {
                return None;
            }
        }
        let mut function = function.clone();
        function.tparams = params.to_vec();
        names.retain(|(own, of_class)| own != of_class);
        if names.is_empty() {
            return Some(function);
        }
        // A name of the class that means something else where the method is defined.
        let item = Item::new(ItemKind::Function(Box::new(function.clone())), defined.span);
        let mut mentions = Mentions {
            looked_for: names
                .iter()
                .map(|(_, of_class)| *of_class)
                .filter(|of_class| !names.iter().any(|(own, _)| own == of_class))
                .collect(),
            found: false,
        };
        walk_item(&mut mentions, &item);
        let hides = |name: &str| home.members.iter().any(|member| declares(member, name));
        if mentions.found || names.iter().any(|(own, _)| hides(own)) {
            return None;
        }
        Some(function.renamed(&|name| other_name(&names, name)))
    }

    /// The part of the name of a definition that names these classes, of a module, each in the one before it; nothing
    /// where it names others.
    pub(super) fn classes_named(
        &self,
        defined: &Outside<'u>,
        classes: &[&Record],
        home: ModuleId,
    ) -> Option<&'u [Segment]> {
        let segments = defined.function.scope.as_ref()?.segments.as_slice();
        let spaces = segments.len().checked_sub(classes.len())?;
        let (spaces, named) = segments.split_at_checked(spaces)?;
        let mut module = defined.module;
        for name in spaces {
            let children = &self.module(module)?.children;
            module = *children.get(name.name.name.as_str())?;
        }
        let is_named = |(class, segment): (&&Record, &Segment)| {
            class
                .name
                .as_ref()
                .is_some_and(|name| name.name == segment.name.name)
        };
        (self.is_around(module, home) && classes.iter().zip(named).all(is_named)).then_some(named)
    }

    fn is_around(&self, module: ModuleId, home: ModuleId) -> bool {
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

/// The method that a member declares without a body.
fn declaration(item: &Item) -> Option<&Function> {
    match &item.kind {
        ItemKind::Function(function) if function.body.is_none() => Some(function),
        _ => None,
    }
}

/// Whether two declarations of a class are told apart by the types of their parameters alone.
fn is_overload(other: &Function, declared: &Function) -> bool {
    other.name.name == declared.name.name
        && other.params.len() == declared.params.len()
        && other.tparams.len() == declared.tparams.len()
        && other.flags.constant == declared.flags.constant
}

fn is_same_kind(own: &TemplateParamKind, other: &TemplateParamKind) -> bool {
    use TemplateParamKind::{Template, Type, Value};
    matches!(
        (own, other),
        (Type, Type) | (Template, Template) | (Value(_), Value(_))
    )
}

/// Whether the arguments of a class in the name of a method are those of the template, or of this specialisation.
fn is_for(segment: &Segment, class: &Record, names: &[(&str, &str)]) -> bool {
    let written = segment.args.as_deref();
    match &class.special_args {
        None if class.tparams.is_empty() => written.is_none(),
        None => {
            let written = written.unwrap_or_default();
            written.len() == class.tparams.len()
                && written
                    .iter()
                    .zip(&class.tparams)
                    .all(|(arg, own)| is_parameter(arg, own, names))
        }
        Some(special) => written.is_some_and(|written| {
            written.len() == special.len()
                && written
                    .iter()
                    .zip(special)
                    .all(|(arg, special)| is_same(arg, special, names))
        }),
    }
}

/// Whether an argument is a parameter of the class, by the name that it has there.
fn is_parameter(arg: &Expr, own: &TemplateParam, names: &[(&str, &str)]) -> bool {
    let arg = match &arg.kind {
        ExprKind::Expand(arg) if own.pack => arg,
        _ => arg,
    };
    let name = arg.as_plain_name().and_then(|name| other_name(names, name));
    own.name.as_ref().map(|own| own.name.as_str()) == name.as_deref()
}

/// The name of the class for a template parameter of a definition.
fn other_name(names: &[(&str, &str)], name: &str) -> Option<String> {
    let found = names.iter().find(|(own, _)| *own == name);
    found.map(|(_, of_class)| (*of_class).to_owned())
}

/// Whether two expressions are written alike, but for names of template parameters.
fn is_same(own: &Expr, other: &Expr, names: &[(&str, &str)]) -> bool {
    let nowhere = Span::new(0, 0);
    own.clone()
        .renamed(&|name| other_name(names, name))
        .at(nowhere)
        == other.clone().at(nowhere)
}

/// Whether a definition has the parameter types of a declaration, as they are written.
fn has_types_of(defined: &Function, declared: &Function) -> bool {
    let own = defined.tparams.iter().zip(&declared.tparams);
    let names: Vec<(&str, &str)> = own
        .filter_map(|(own, other)| {
            Some((
                own.name.as_ref()?.name.as_str(),
                other.name.as_ref()?.name.as_str(),
            ))
        })
        .collect();
    let is_same_param = |(own, other): (&Binding, &Binding)| {
        own.reference == other.reference
            && own.specifiers.pack == other.specifiers.pack
            && (own.reference == Reference::None
                || own.specifiers.constant == other.specifiers.constant)
            && match (&own.ty, &other.ty) {
                (Some(own), Some(other)) => is_same(own, other, &names),
                (None, None) => true,
                _ => false,
            }
    };
    defined
        .params
        .iter()
        .zip(&declared.params)
        .all(is_same_param)
}

/// A definition with what only the declaration says: default arguments, `static` and `virtual`.
fn completed(mut defined: Function, declared: &Function) -> Function {
    let own = declared.tparams.iter().zip(&defined.tparams);
    let names: Vec<(String, String)> = own
        .filter_map(|(own, other)| {
            let (own, other) = (own.name.as_ref()?, other.name.as_ref()?);
            Some((own.name.clone(), other.name.clone()))
        })
        .collect();
    let renamed = |expr: &Expr| {
        expr.clone().renamed(&|name| {
            let found = names.iter().find(|(own, _)| own == name);
            found.map(|(_, other)| other.clone())
        })
    };
    for (own, other) in defined.params.iter_mut().zip(&declared.params) {
        if own.init.is_none() {
            own.init = other.init.as_ref().map(renamed);
        }
    }
    for (own, other) in defined.tparams.iter_mut().zip(&declared.tparams) {
        if own.default.is_none() {
            own.default = other.default.as_ref().map(renamed);
        }
    }
    defined.flags.is_static |= declared.flags.is_static;
    defined.flags.is_virtual |= declared.flags.is_virtual;
    defined.flags.constexpr |= declared.flags.constexpr;
    defined
}

/// Whether a member of a class has a name.
fn declares(member: &Item, name: &str) -> bool {
    let own = match &member.kind {
        ItemKind::Binding(binding) => binding.name.as_ref(),
        ItemKind::Function(function) => Some(&function.name),
        ItemKind::Record(record) => record.name.as_ref(),
        ItemKind::Enum(found) => found.name.as_ref(),
        _ => None,
    };
    own.is_some_and(|own| own.name == name)
}

/// Names that are looked for in a function.
struct Mentions<'n> {
    looked_for: Vec<&'n str>,
    found: bool,
}

impl Visitor for Mentions<'_> {
    fn ident(&mut self, ident: &tree_sitter_cute::tree::Ident) {
        self.found |= self.looked_for.contains(&ident.name.as_str());
    }
}
