//! Names that Python has without an import, and the modelled part of its standard library.

use std::sync::{Arc, LazyLock};

use super::heap::Object;
use super::machine::{Machine, Run, Stop};
use super::native::{Args, Native};
use super::value::{Builtin, Condition, Py};
use super::{
    accessors, arithmetic, cached, comparisons, containers, copies, dataclasses, dsl, dunders,
    errors, files, functions, iterators, operators, templates,
};
use crate::hash::HashMap;
use crate::reason::Reason;
use crate::value::Value;

impl Machine<'_> {
    /// The value of a name at this point.
    pub(crate) fn look_up(&self, name: &str) -> Py {
        let mut scope = self.scope();
        let mut is_own = true;
        while let Some(id) = scope {
            let Object::Scope(found) = self.heap.get(id) else {
                break;
            };
            if let Some((_, outer)) = found.outer.iter().find(|(outer, _)| &**outer == name)
                && let Object::Scope(outer) = self.heap.get(*outer)
                && let Some(value) = outer.names.get(name)
            {
                return value.clone();
            }
            if (is_own || !found.is_class)
                && let Some(value) = found.names.get(name)
            {
                return value.clone();
            }
            is_own = false;
            scope = found.parent;
        }
        named(name).unwrap_or_else(|| Py::Unknown(Reason::Undeclared(name.into())))
    }
}

/// The value of a name that nothing binds.
pub(crate) fn named(name: &str) -> Option<Py> {
    Some(match name {
        "int" => Py::Builtin(Builtin::Int),
        "bool" => Py::Builtin(Builtin::Bool),
        "float" => Py::Builtin(Builtin::Float),
        "str" => Py::Builtin(Builtin::Str),
        "tuple" => Py::Builtin(Builtin::Tuple),
        "list" => Py::Builtin(Builtin::List),
        "dict" => Py::Builtin(Builtin::Dict),
        "set" | "frozenset" => Py::Builtin(Builtin::Set),
        "Ellipsis" => Py::Ellipsis,
        "object" => Py::Builtin(Builtin::Object),
        "type" => Py::Builtin(Builtin::Type),
        "NotImplemented" => comparisons::NOT_IMPLEMENTED,
        _ => return errors::class(name).or_else(|| member("builtins", name)),
    })
}

/// The functions of modules of the standard library, by module.
static FUNCTIONS: LazyLock<HashMap<&str, HashMap<&str, &Native>>> = LazyLock::new(|| {
    let mut modules: HashMap<&str, HashMap<&str, &Native>> = HashMap::default();
    let all = functions::NATIVES.iter().chain(arithmetic::NATIVES);
    let all = all.chain(dataclasses::NATIVES).chain(files::NATIVES);
    let all = all
        .chain(iterators::NATIVES)
        .chain(accessors::NATIVES)
        .chain(copies::NATIVES);
    let all = all.chain(cached::NATIVES);
    for native in all.chain(templates::NATIVES) {
        if let Some((module, name)) = native.name.rsplit_once('.') {
            // Of one name the first counts.
            modules
                .entry(module)
                .or_default()
                .entry(name)
                .or_insert(native);
        }
    }
    modules
});

/// The member of a module of the standard library, by name.
pub(crate) fn member(module: &str, name: &str) -> Option<Py> {
    let found = FUNCTIONS.get(module).and_then(|names| names.get(name));
    if let Some(native) = found {
        return Some(Py::Native(native));
    }
    Some(match (module, name) {
        ("typing" | "typing_extensions" | "collections.abc", "NamedTuple") => {
            Py::Builtin(Builtin::NamedTuple)
        }
        ("typing" | "typing_extensions", "Protocol") => Py::Builtin(Builtin::Dsl("Protocol")),
        ("typing" | "typing_extensions", "ClassVar") => Py::Builtin(Builtin::Dsl("ClassVar")),
        ("typing" | "typing_extensions", "TYPE_CHECKING") => Py::Bool(false),
        ("typing" | "typing_extensions", "overload" | "final" | "override" | "no_type_check") => {
            Py::Native(&functions::SAME_DECORATOR)
        }
        ("typing" | "typing_extensions", "TypedDict") => Py::Builtin(Builtin::Dsl("TypedDict")),
        ("abc", "ABC") => Py::Builtin(Builtin::Dsl("ABC")),
        ("dataclasses", "KW_ONLY") => Py::Builtin(Builtin::Dsl("KW_ONLY")),
        ("dataclasses", "InitVar") => Py::Builtin(Builtin::Dsl("InitVar")),
        ("dataclasses", "FrozenInstanceError") => {
            Py::Builtin(Builtin::Error("FrozenInstanceError"))
        }
        ("dataclasses", "MISSING") => Py::Builtin(Builtin::Dsl("MISSING")),
        ("typing_extensions" | "warnings", "deprecated") => Py::Native(&functions::WRAPS),
        ("typing" | "typing_extensions", "cast") => Py::Native(&functions::CAST),
        ("typing" | "typing_extensions", "Type") => Py::Builtin(Builtin::Type),
        ("typing" | "typing_extensions", "Tuple") => Py::Builtin(Builtin::Tuple),
        ("typing" | "typing_extensions", "List" | "Sequence") => Py::Builtin(Builtin::List),
        ("typing" | "typing_extensions", "Dict") => Py::Builtin(Builtin::Dict),
        ("typing" | "typing_extensions" | "collections.abc" | "types" | "abc", _) => match name {
            "SimpleNamespace" => Py::Native(&super::namespaces::NAMESPACE),
            _ if name.starts_with(|first: char| first.is_ascii_lowercase()) => {
                Py::Native(&functions::SAME_DECORATOR)
            }
            _ => Py::Builtin(Builtin::Object),
        },
        ("enum", "Enum" | "ReprEnum") => Py::Builtin(Builtin::Enum),
        ("enum", "IntEnum") => Py::Builtin(Builtin::IntEnum),
        ("enum", "StrEnum") => Py::Builtin(Builtin::StrEnum),
        ("enum", "Flag") => Py::Builtin(Builtin::Flag),
        ("enum", "IntFlag") => Py::Builtin(Builtin::IntFlag),
        ("enum", "unique" | "verify" | "global_enum") => Py::Native(&functions::SAME_DECORATOR),
        ("math", "pi") => Py::Float(std::f64::consts::PI),
        ("math", "inf") => Py::Float(f64::INFINITY),
        ("math", "e") => Py::Float(std::f64::consts::E),
        _ => return None,
    })
}

/// Whether something is known of a module of the standard library.
pub(crate) fn has_module(name: &str) -> bool {
    matches!(
        name,
        "typing"
            | "typing_extensions"
            | "types"
            | "abc"
            | "enum"
            | "collections.abc"
            | "__future__"
    ) || FUNCTIONS.contains_key(name)
}

/// The name of the type of a value that is not an object.
pub(crate) fn type_name(value: &Py) -> &'static str {
    match value {
        Py::None => "None",
        Py::Bool(_) | Py::Int(_) => "int",
        Py::Slice(_) => "slice",
        Py::Float(_) => "float",
        Py::Str(_) => "str",
        Py::Tuple(_) => "tuple",
        Py::Native(_) | Py::Method(..) => "function",
        Py::Builtin(_) | Py::Scalar(_) => "type",
        _ => "object",
    }
}

/// The attribute of a function that is built in.
pub(crate) fn native_attribute(native: &'static Native, name: &str) -> Option<Py> {
    let short = native.name.rsplit('.').next().unwrap_or(native.name);
    match name {
        "__name__" => Some(Py::str(short)),
        _ => {
            // `dict.fromkeys`, `struct.MemRange`, ...
            dsl::member(native.name, name)
        }
    }
}

/// The attribute of a built-in type.
pub(crate) fn type_attribute(builtin: Builtin, name: &str) -> Option<Py> {
    match (builtin, name) {
        (Builtin::Dsl(own), _) => dsl::member(own, name),
        (Builtin::Error(own), "__name__") => Some(Py::str(own)),
        (builtin, "__name__" | "__qualname__") => name_of_type(builtin).map(Py::str),
        (Builtin::Object | Builtin::Type, "__getattribute__" | "__delattr__" | "__call__") => {
            dunders::of_object(name).map(Py::Native)
        }
        (Builtin::Object, "__setattr__") => Some(Py::Native(&accessors::SET_ATTRIBUTE)),
        (Builtin::Object, "__init__") => Some(Py::Native(&functions::NOTHING)),
        (_, "__new__") => Some(Py::Native(&functions::NEW)),
        (Builtin::List | Builtin::Dict | Builtin::Set, "__init__") => {
            Some(Py::Native(&dunders::INIT))
        }
        (builtin, _) => {
            let of = name_of_type(builtin)?;
            let native = containers::method(of, name).or_else(|| dunders::of_object(name));
            native.map(Py::Native)
        }
    }
}

/// The name of a type that is built in.
fn name_of_type(builtin: Builtin) -> Option<&'static str> {
    Some(match builtin {
        Builtin::Object => "object",
        Builtin::Type => "type",
        Builtin::Int => "int",
        Builtin::Bool => "bool",
        Builtin::Float => "float",
        Builtin::Str => "str",
        Builtin::Tuple => "tuple",
        Builtin::List => "list",
        Builtin::Dict => "dict",
        Builtin::Set => "set",
        _ => return None,
    })
}

/// `int(text, base)`
fn in_base(text: &str, base: i64) -> Run<Py> {
    let wrong = || Stop::error("ValueError", "a string that is not an integer");
    let digits = text.trim().to_ascii_lowercase();
    let (sign, digits) = match digits.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, digits.strip_prefix('+').unwrap_or(&digits)),
    };
    let is_apart =
        |digits: &str| digits.starts_with('_') || digits.ends_with('_') || digits.contains("__");
    if digits.starts_with(['-', '+']) || is_apart(digits) {
        return Err(wrong());
    }
    let prefixed = [(2, "0b"), (8, "0o"), (16, "0x")]
        .into_iter()
        .find(|(own, prefix)| (base == 0 || base == *own) && digits.starts_with(prefix));
    let (base, digits) = match (prefixed, base) {
        (Some((base, prefix)), _) => (base, &digits[prefix.len()..]),
        (None, 0) => (10, digits),
        (None, 2..=36) => (base, digits),
        _ => return Ok(Py::Unknown(Reason::Construct("`int` of this text"))),
    };
    let digits = digits.replace('_', "");
    let Some(radix) = u32::try_from(base).ok() else {
        return Err(wrong());
    };
    let is_number = !digits.is_empty() && digits.chars().all(|it| it.is_digit(radix));
    match i64::from_str_radix(&digits, radix) {
        Ok(value) => Ok(Py::Int(value * sign)),
        Err(_) if is_number => Ok(Py::out_of_range()),
        Err(_) => Err(wrong()),
    }
}

impl Machine<'_> {
    /// A value of a built-in type.
    pub(crate) fn construct(&mut self, builtin: Builtin, args: Args) -> Run<Py> {
        let first = args.plain.first().cloned();
        let keeps = matches!(builtin, Builtin::Error(_));
        if let (Some(Py::Unknown(reason)), false) = (&first, keeps) {
            return Ok(Py::Unknown(reason.clone()));
        }
        Ok(match builtin {
            Builtin::Int => match first {
                Some(Py::Str(text)) if args.plain.len() > 1 => match args.plain.get(1) {
                    Some(Py::Int(base)) => in_base(&text, *base)?,
                    _ => Py::Unknown(Reason::Construct("`int` of this text")),
                },
                None => Py::Int(0),
                Some(Py::Int(value)) => Py::Int(value),
                Some(Py::Bool(value)) => Py::Int(i64::from(value)),
                #[allow(clippy::cast_possible_truncation)] // As Python truncates.
                Some(Py::Float(value)) if value.is_finite() && value.abs() < 9.0e18 => {
                    Py::Int(value as i64)
                }
                Some(Py::Float(_)) => Py::out_of_range(),
                Some(Py::Str(text)) => {
                    let base = args.named.iter().find(|(name, _)| &**name == "base");
                    match base {
                        Some((_, base)) => in_base(&text, base.as_index().unwrap_or(-1))?,
                        None => in_base(&text, 10)?,
                    }
                }
                Some(value @ (Py::Leaf(Value::Int(_)) | Py::Whole(..))) => value,
                Some(object @ Py::Object(_)) => self.int_of_object(&object)?,
                Some(_) => self.numbers.symbol("v"),
            },
            Builtin::Bool => match first {
                None => Py::Bool(false),
                Some(value) => match self.condition(&value)? {
                    Condition::Known(holds) => Py::Bool(holds),
                    Condition::RunTime => Py::run_time_bool(),
                    Condition::Unknown(reason) => Py::Unknown(reason),
                },
            },
            #[allow(clippy::cast_precision_loss)] // As Python converts.
            Builtin::Float => match first {
                None => Py::Float(0.0),
                Some(Py::Int(value)) => Py::Float(value as f64),
                Some(Py::Float(value)) => Py::Float(value),
                Some(Py::Str(text)) => match (&*text, text.trim().parse()) {
                    ("inf", _) => Py::Float(f64::INFINITY),
                    ("-inf", _) => Py::Float(f64::NEG_INFINITY),
                    (_, Ok(value)) => Py::Float(value),
                    _ => Py::Unknown(Reason::Construct("`float` of this text")),
                },
                Some(value) => value,
            },
            Builtin::Str => match first {
                None => Py::str(""),
                Some(value) => match self.str_of(&value)? {
                    Some(text) => Py::str(&text),
                    None => Py::Unknown(Reason::Construct("the text of an object")),
                },
            },
            Builtin::Tuple | Builtin::List | Builtin::Set => {
                let items = match first {
                    None => Vec::new(),
                    Some(value) => match self.iterate(&value)? {
                        Ok(items) => items,
                        Err(reason) => return Ok(Py::Unknown(reason)),
                    },
                };
                match builtin {
                    Builtin::Tuple => Py::tuple(items),
                    Builtin::List => self.list(items),
                    _ => self.set(items)?,
                }
            }
            Builtin::Dict => self.new_dictionary(first, args.named)?,
            Builtin::Type if args.plain.len() == 3 => self.class_of_parts(&args)?,
            Builtin::NamedTuple if args.plain.len() == 2 => self.named_tuple(&args)?,
            Builtin::Type => match first {
                Some(value) => self.type_of(&value),
                None => Py::Unknown(Reason::Construct("a class that is created at run time")),
            },
            Builtin::Error(name) => self.error(name, args.plain),
            Builtin::Object => {
                let args = Args::of(Vec::new(), args.span);
                self.call_native(&super::namespaces::NAMESPACE, args)?
            }
            Builtin::Enum
            | Builtin::IntEnum
            | Builtin::StrEnum
            | Builtin::Flag
            | Builtin::IntFlag => self.class_of_members(builtin, &args)?,
            Builtin::NamedTuple => {
                Py::Unknown(Reason::Construct("a class that is created at run time"))
            }
            Builtin::Dsl(name) => dsl::construct(self, name, args)?,
        })
    }

    /// `int(object)`
    fn int_of_object(&mut self, object: &Py) -> Run<Py> {
        for name in ["__int__", "__index__"] {
            if let Some(method) = self.method(object, name)? {
                return self.call(&method, Args::default());
            }
        }
        match self.content_of(object) {
            Some(content) => {
                let args = Args::of(vec![content], tree_sitter_cute::tree::Span::default());
                self.construct(Builtin::Int, args)
            }
            None => Ok(Py::Unknown(Reason::Construct("`int` of an object"))),
        }
    }

    fn new_dictionary(&mut self, first: Option<Py>, named: Vec<(Arc<str>, Py)>) -> Run<Py> {
        let mut entries = Vec::new();
        if let Some(first) = first {
            if let Ok(known) = self.entries_of(&first) {
                entries = known;
            } else {
                let pairs = match self.iterate(&first)? {
                    Ok(pairs) => pairs,
                    Err(reason) => return Ok(Py::Unknown(reason)),
                };
                for pair in pairs {
                    match self.iterate(&pair)? {
                        Ok(pair) if pair.len() == 2 => {
                            self.put_entry(&mut entries, pair[0].clone(), pair[1].clone())?;
                        }
                        _ => return Ok(Py::Unknown(Reason::Construct("`dict` of this value"))),
                    }
                }
            }
        }
        for (name, value) in named {
            self.put_entry(&mut entries, Py::Str(name), value)?;
        }
        Ok(Py::Object(self.heap.add(Object::Dict(entries))))
    }

    /// The class of a value.
    pub(crate) fn type_of(&self, value: &Py) -> Py {
        match value {
            Py::Bool(_) => Py::Builtin(Builtin::Bool),
            Py::Int(_) => Py::Builtin(Builtin::Int),
            Py::Float(_) => Py::Builtin(Builtin::Float),
            Py::Str(_) => Py::Builtin(Builtin::Str),
            Py::Tuple(_) => Py::Builtin(Builtin::Tuple),
            Py::Object(id) => match self.heap.get(*id) {
                Object::Instance(instance) => Py::Object(instance.class),
                Object::List(_) => Py::Builtin(Builtin::List),
                Object::Dict(_) | Object::Attributes(_) => Py::Builtin(Builtin::Dict),
                Object::Set(_) => Py::Builtin(Builtin::Set),
                Object::Raised(raised) => Py::Builtin(Builtin::Error(raised.class)),
                Object::Class(class) => match class.metaclass {
                    Some(metaclass) => Py::Object(metaclass),
                    None => Py::Builtin(Builtin::Type),
                },
                _ => Py::Unknown(Reason::Construct("the class of this object")),
            },
            Py::Leaf(value) => dsl::type_of(value),
            Py::Whole(_, Some(scalar)) => Py::Scalar(*scalar),
            Py::Whole(_, None) => Py::Unknown(dsl::type_not_known()),
            Py::Unknown(reason) => Py::Unknown(reason.clone()),
            _ => Py::Unknown(Reason::Construct("the class of this value")),
        }
    }

    fn is_protocol(&self, class: super::heap::Id) -> bool {
        match self.heap.get(class) {
            Object::Class(class) => class
                .foreign
                .contains(&Py::Builtin(Builtin::Dsl("Protocol"))),
            _ => false,
        }
    }

    /// Whether a value is of a class; `None` where that is not known.
    pub(crate) fn is_instance(&self, value: &Py, class: &Py) -> Option<bool> {
        match class {
            Py::Tuple(classes) => {
                let mut known = Some(false);
                for class in classes.iter() {
                    match self.is_instance(value, class) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => known = None,
                    }
                }
                known
            }
            Py::None => Some(*value == Py::None),
            Py::Builtin(Builtin::Error(name)) => match value {
                Py::Unknown(_) => None,
                Py::Builtin(_) => Some(false),
                value => Some(self.is_raised(value, name)),
            },
            Py::Unknown(_) => match value {
                // A value of a module that is not visible is never a number or a tuple of the trace.
                Py::None | Py::Int(_) | Py::Bool(_) | Py::Str(_) | Py::Tuple(_) => Some(false),
                _ => None,
            },
            Py::Builtin(Builtin::Dsl(name)) => dsl::is_instance(value, name),
            Py::Builtin(builtin) => match (builtin, value) {
                (_, Py::Object(id)) => Some(match (builtin, self.heap.get(*id)) {
                    (_, Object::Lost(_)) => return None,
                    (Builtin::List, Object::List(_))
                    | (Builtin::Dict, Object::Dict(_) | Object::Attributes(_))
                    | (Builtin::Set, Object::Set(_))
                    | (Builtin::Type, Object::Class(_))
                    | (Builtin::Object, _) => true,
                    (_, Object::Instance(_)) => match self.content_of(value) {
                        Some(content) => return self.is_instance(&content, class),
                        None => false,
                    },
                    _ => false,
                }),
                _ => operators::is_instance(value, *builtin),
            },
            Py::Scalar(scalar) => dsl::is_number_of(value, scalar),
            Py::Object(id) => match (self.heap.get(*id), value) {
                (_, Py::Unknown(_)) => None,
                (Object::Class(_), Py::Object(object)) => match self.heap.get(*object) {
                    Object::Instance(instance) => match self.heap.get(instance.class) {
                        Object::Class(own) if own.order.contains(id) => Some(true),
                        // Whoever has its members is of a protocol.
                        Object::Class(_) if self.is_protocol(*id) => None,
                        Object::Class(_) => Some(false),
                        _ => None,
                    },
                    Object::Lost(_) => None,
                    _ => Some(false),
                },
                (Object::Class(class), Py::Leaf(value)) => {
                    Some(dsl::is_of_class(value, &class.name))
                }
                (Object::Class(_), _) => Some(false),
                _ => None,
            },
            Py::Native(native) => dsl::is_instance(value, native.name),
            _ => None,
        }
    }
}
