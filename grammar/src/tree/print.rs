//! The tree as text, one line per item, close to C++ but with every choice of the lowering visible:
//! operators in parentheses, constructions apart from calls (`T!(x)` for `T(x)` that constructs), casts as `x as T`,
//! unknown nodes as `<?kind?>`. For people and for tests.

// Appending text is the work of this file; `write!` to a `String` would hide it behind a `Result`.
#![allow(clippy::format_push_string)]

use std::fmt::{self, Display, Formatter, Write};

use super::{
    Binding, Condition, Engine, Expr, ExprKind, Function, Item, ItemKind, Lambda, LoopKind, Path,
    Qualifier, Record, RecordKind, Reference, Requirement, Requires, Role, Segment, Specifiers,
    StructuredBinding, TemplateParam, TemplateParamKind, UnaryOp, Unit, UsingKind,
};

impl Display for Unit {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&block(&self.items, 0))
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(item(self, 0).trim_end())
    }
}

impl Display for Expr {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.kind {
            ExprKind::Int(value) => write!(f, "{value}"),
            ExprKind::UserLiteral(value, suffix) => write!(f, "{value}{suffix}"),
            ExprKind::Float(text) => write!(f, "{text}"),
            ExprKind::Char(value) => write!(f, "{value:?}"),
            ExprKind::Bool(value) => write!(f, "{value}"),
            ExprKind::Str(text) => write!(f, "\"{text}\""),
            ExprKind::Null => write!(f, "nullptr"),
            ExprKind::Name(path) => write!(f, "{path}"),
            ExprKind::Auto => write!(f, "auto"),
            ExprKind::Decltype(operand) => write!(f, "decltype({operand})"),
            ExprKind::Pointer(ty) => write!(f, "{ty}*"),
            ExprKind::Reference(ty, false) => write!(f, "{ty}&"),
            ExprKind::Reference(ty, true) => write!(f, "{ty}&&"),
            ExprKind::Const(ty) => write!(f, "{ty} const"),
            ExprKind::Array(ty, None) => write!(f, "{ty}[]"),
            ExprKind::Array(ty, Some(size)) => write!(f, "{ty}[{size}]"),
            ExprKind::FunctionType(ret, params) => write!(f, "fn{} -> {ret}", group(params)),
            ExprKind::Call(callee, args) => write!(f, "{callee}{}", group(args)),
            ExprKind::Macro(call) => match &call.args {
                Some(args) => write!(f, "{}!{}", call.path, group(args)),
                None => write!(f, "{}!<?tokens?>", call.path),
            },
            ExprKind::Launch {
                callee,
                config,
                args,
            } => {
                write!(f, "{callee}<<<{}>>>{}", list(config), group(args))
            }
            ExprKind::Construct {
                ty,
                args,
                braces: true,
            } => write!(f, "{ty}{{{}}}", list(args)),
            ExprKind::Construct {
                ty,
                args,
                braces: false,
            } => write!(f, "{ty}!{}", group(args)),
            ExprKind::Braced(args) => write!(f, "{{{}}}", list(args)),
            ExprKind::Designated(name, value) => write!(f, ".{} = {value}", name.name),
            ExprKind::Member {
                object,
                member,
                arrow,
            } => {
                write!(f, "{object}{}{member}", if *arrow { "->" } else { "." })
            }
            ExprKind::Index(object, args) => write!(f, "{object}[{}]", list(args)),
            ExprKind::Unary(op, operand) => unary(f, *op, operand),
            ExprKind::Binary(op, left, right) => write!(f, "({left} {} {right})", op.text()),
            ExprKind::Assign(assignment) => {
                let op = assignment.op.map_or("", super::BinaryOp::text);
                write!(f, "{} {op}= {}", assignment.target, assignment.value)
            }
            ExprKind::Ternary(condition, then, otherwise) => {
                write!(f, "({condition} ? {then} : {otherwise})")
            }
            ExprKind::Cast(kind, ty, operand) => write!(f, "({operand} as[{kind:?}] {ty})"),
            ExprKind::Sizeof(operand) => write!(f, "sizeof({operand})"),
            ExprKind::SizeofPack(pack) => write!(f, "sizeof...({})", pack.name),
            ExprKind::Alignof(ty) => write!(f, "alignof({ty})"),
            ExprKind::Offsetof(ty, member) => write!(f, "offsetof({ty}, {})", member.name),
            ExprKind::Lambda(lambda) => write!(f, "{lambda}"),
            ExprKind::Expand(pattern) => write!(f, "{pattern}..."),
            ExprKind::Fold(op, left, right) => {
                let side = |side: &Option<Box<Self>>| {
                    side.as_ref()
                        .map_or_else(|| "...".to_owned(), ToString::to_string)
                };
                write!(f, "({} {} {})", side(left), op.text(), side(right))
            }
            ExprKind::Requires(requires) => write!(f, "{requires}"),
            ExprKind::Opaque(kind) => write!(f, "<?{kind}?>"),
            _ => notation(f, &self.kind),
        }
    }
}

/// The kinds that come from the literal notation, printed in it.
fn notation(f: &mut Formatter<'_>, kind: &ExprKind) -> fmt::Result {
    match kind {
        ExprKind::Tuple(modes) => f.write_str(&group(modes)),
        ExprKind::Layout(shape, stride) => write!(f, "{shape}:{stride}"),
        ExprKind::Static(value) => write!(f, "_{value}"),
        ExprKind::Rational(rational) => {
            write!(f, "{}/{}", rational.numerator, rational.denominator)
        }
        ExprKind::Basis(coefficient, path) => {
            write!(f, "{coefficient}")?;
            path.iter().try_for_each(|mode| write!(f, "@{mode}"))
        }
        ExprKind::Xor(mask) => write!(f, "f{mask}"),
        ExprKind::Unknown(None) => write!(f, "?"),
        ExprKind::Unknown(Some(divisor)) => write!(f, "?{{div={divisor}}}"),
        ExprKind::Underscore => write!(f, "_"),
        ExprKind::Swizzle(bits, base, shift) => write!(f, "Sw<{bits},{base},{shift}>"),
        ExprKind::Composition(operands) => f.write_str(&joined(operands, " o ")),
        ExprKind::Divide(left, right) => {
            write!(f, "({} \u{2298} {})", grouped(left), grouped(right))
        }
        ExprKind::Product(left, right) => {
            write!(f, "({} \u{2297} {})", grouped(left), grouped(right))
        }
        ExprKind::Tiler(modes) => write!(f, "<{}>", list(modes)),
        ExprKind::Engine(engine) => write!(f, "{engine}"),
        ExprKind::Attribute(attribute) => write!(f, "{attribute}"),
        // All other kinds are printed by the caller.
        _ => Ok(()),
    }
}

/// A composition as an operand of another infix operation.
fn grouped(operand: &Expr) -> String {
    match operand.kind {
        ExprKind::Composition(_) => format!("({operand})"),
        _ => operand.to_string(),
    }
}

impl Display for Engine {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some((bits, base, shift)) = self.swizzle {
            write!(f, "Sw<{bits},{base},{shift}>_")?;
        }
        write!(f, "{}[{}b]({})", self.space, self.bits, self.address)
    }
}

impl Display for Path {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match &self.qualifier {
            Qualifier::None => {}
            Qualifier::Global => write!(f, "::")?,
            Qualifier::Type(ty) => write!(f, "{ty}::")?,
        }
        f.write_str(&joined(&self.segments, "::"))
    }
}

impl Display for Segment {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name.name)?;
        match &self.args {
            Some(args) => write!(f, "<{}>", list(args)),
            None => Ok(()),
        }
    }
}

impl Display for Requires {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "requires ({}) {{", params(&self.params))?;
        for requirement in &self.requirements {
            match requirement {
                Requirement::Type(ty) => write!(f, " typename {ty};")?,
                Requirement::Valid(expr, None) => write!(f, " {expr};")?,
                Requirement::Valid(expr, Some(constraint)) => {
                    write!(f, " {{ {expr} }} -> {constraint};")?;
                }
                Requirement::Holds(condition) => write!(f, " requires {condition};")?,
            }
        }
        f.write_str(" }")
    }
}

impl Display for Lambda {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut captures: Vec<String> =
            self.default_capture.map(String::from).into_iter().collect();
        captures.extend(self.captures.iter().map(|capture| {
            let mark = if capture.by_reference { "&" } else { "" };
            let name = &capture.name.name;
            match &capture.init {
                Some(init) => format!("{mark}{name} = {init}"),
                None => format!("{mark}{name}"),
            }
        }));
        write!(
            f,
            "[{}]{}({})",
            captures.join(", "),
            template(&self.tparams),
            params(&self.params)
        )?;
        if let Some(ret) = &self.ret {
            write!(f, " -> {ret}")?;
        }
        write!(f, " {{ {}}}", block(&self.body, 0).replace('\n', " "))
    }
}

fn unary(f: &mut Formatter<'_>, op: UnaryOp, operand: &Expr) -> fmt::Result {
    match op {
        UnaryOp::Minus => write!(f, "-{operand}"),
        UnaryOp::Plus => write!(f, "+{operand}"),
        UnaryOp::Not => write!(f, "!{operand}"),
        UnaryOp::BitNot => write!(f, "~{operand}"),
        UnaryOp::Deref => write!(f, "*{operand}"),
        UnaryOp::AddressOf => write!(f, "&{operand}"),
        UnaryOp::PreIncrement => write!(f, "++{operand}"),
        UnaryOp::PreDecrement => write!(f, "--{operand}"),
        UnaryOp::PostIncrement => write!(f, "{operand}++"),
        UnaryOp::PostDecrement => write!(f, "{operand}--"),
        UnaryOp::Try => write!(f, "{operand}?"),
    }
}

fn joined(parts: &[impl Display], separator: &str) -> String {
    parts
        .iter()
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(separator)
}

fn list(exprs: &[Expr]) -> String {
    joined(exprs, ", ")
}

fn group(exprs: &[Expr]) -> String {
    format!("({})", list(exprs))
}

fn params(bindings: &[Binding]) -> String {
    bindings.iter().map(binding).collect::<Vec<_>>().join(", ")
}

fn binding(binding: &Binding) -> String {
    let mut text = keywords(binding.specifiers);
    text += &alignments(&binding.alignas);
    text += &template(&binding.tparams);
    if let Some(scope) = &binding.scope {
        text += &format!("{scope}::");
    }
    text += binding.name.as_ref().map_or("_unnamed", |name| &name.name);
    if let Some(args) = &binding.special_args {
        text += &format!("<{}>", list(args));
    }
    if let Some(ty) = &binding.ty {
        text += &format!(": {ty}{}", reference(binding.reference));
    }
    if let Some(bits) = &binding.bits {
        text += &format!(" ({bits} bits)");
    }
    if let Some(init) = &binding.init {
        text += &format!(" = {init}");
    }
    text
}

fn alignments(operands: &[Expr]) -> String {
    operands.iter().fold(String::new(), |text, operand| {
        text + &format!("alignas({operand}) ")
    })
}

fn reference(reference: Reference) -> &'static str {
    match reference {
        Reference::None => "",
        Reference::Lvalue => "&",
        Reference::Rvalue => "&&",
    }
}

fn keywords(specifiers: Specifiers) -> String {
    let words = [
        (specifiers.is_extern, "extern "),
        (specifiers.is_static, "static "),
        (specifiers.constexpr, "constexpr "),
        (specifiers.constant, "const "),
        (specifiers.shared, "__shared__ "),
        (specifiers.pack, "..."),
    ];
    words
        .iter()
        .filter(|(set, _)| *set)
        .map(|(_, word)| *word)
        .collect()
}

fn template(tparams: &[TemplateParam]) -> String {
    if tparams.is_empty() {
        return String::new();
    }
    let params = tparams.iter().map(|param| {
        let mut text = match &param.kind {
            TemplateParamKind::Type => "class".to_owned(),
            TemplateParamKind::Value(ty) => ty.to_string(),
            TemplateParamKind::Template => "template".to_owned(),
        };
        if param.pack {
            text += "...";
        }
        if let Some(name) = &param.name {
            text += &format!(" {}", name.name);
        }
        if let Some(default) = &param.default {
            text += &format!(" = {default}");
        }
        text
    });
    format!("<{}> ", params.collect::<Vec<_>>().join(", "))
}

fn block(items: &[Item], level: usize) -> String {
    items.iter().map(|inner| item(inner, level)).collect()
}

/// `var const [row: r, col] = init`
fn structured(bound: &StructuredBinding) -> String {
    let mut members = bound.members.iter();
    let names: Vec<_> = bound
        .names
        .iter()
        .map(|name| match members.next() {
            Some(member) => format!("{}: {}", member.name, name.name),
            None => name.name.clone(),
        })
        .collect();
    let init = bound.init.as_ref().map(ToString::to_string);
    let sigil = reference(bound.reference);
    let words = keywords(bound.specifiers);
    format!(
        "var {words}{sigil}[{}] = {}",
        names.join(", "),
        init.unwrap_or_default()
    )
}

fn item(item: &Item, level: usize) -> String {
    let pad = "  ".repeat(level);
    let inner = |items: &[Item]| block(items, level + 1);
    match &item.kind {
        ItemKind::Binding(bound) => {
            let role = match bound.role {
                Role::Var => "var",
                Role::Param => "param",
                Role::Alias => "alias",
                Role::Member => "member",
            };
            format!("{pad}{role} {}\n", binding(bound))
        }
        ItemKind::StructuredBinding(bound) => format!("{pad}{}\n", structured(bound)),
        ItemKind::Function(function) => item_function(function, level),
        ItemKind::Record(record) => item_record(record, level),
        ItemKind::Enum(enumeration) => {
            let values = enumeration.enumerators.iter().map(|enumerator| {
                let value = enumerator.value.as_ref().map(|value| format!(" = {value}"));
                format!("{}{}", enumerator.name.name, value.unwrap_or_default())
            });
            let values = values.collect::<Vec<_>>().join(", ");
            let name = enumeration
                .name
                .as_ref()
                .map_or("_unnamed", |name| &name.name);
            let scoped = if enumeration.scoped { "class " } else { "" };
            let base = enumeration.base.as_ref().map(|base| format!(": {base}"));
            format!(
                "{pad}enum {scoped}{name}{} {{{values}}}\n",
                base.unwrap_or_default()
            )
        }
        ItemKind::Namespace(namespace) => {
            let names: Vec<_> = namespace
                .names
                .iter()
                .map(|name| name.name.as_str())
                .collect();
            let inline = if namespace.inline { "inline " } else { "" };
            format!(
                "{pad}{inline}namespace {}\n{}",
                names.join("::"),
                inner(&namespace.items)
            )
        }
        ItemKind::Using(using) => match &using.kind {
            UsingKind::Namespace => format!("{pad}using namespace {}\n", using.path),
            UsingKind::Declaration => format!("{pad}using {}\n", using.path),
            UsingKind::NamespaceAlias(name) => {
                format!("{pad}namespace {} = {}\n", name.name, using.path)
            }
            UsingKind::Renamed(name) => format!("{pad}using {} as {}\n", using.path, name.name),
        },
        ItemKind::Instantiation(instantiation) => {
            let params = instantiation
                .params
                .as_deref()
                .map(group)
                .unwrap_or_default();
            let is_extern = if instantiation.is_extern {
                "extern "
            } else {
                ""
            };
            format!(
                "{pad}{is_extern}instantiate {}{params}\n",
                instantiation.target
            )
        }
        ItemKind::Return(None) => format!("{pad}return\n"),
        ItemKind::Return(Some(value)) => format!("{pad}return {value}\n"),
        ItemKind::Jump(jump) => format!("{pad}{jump:?}\n"),
        ItemKind::Expr(expr) => format!("{pad}{expr}\n"),
        ItemKind::StaticAssert(assert) => format!("{pad}static_assert {}\n", assert.condition),
        ItemKind::Block(items) => format!("{pad}block\n{}", inner(items)),
        ItemKind::Given(given) => format!("{pad}given {}\n{}", given.name.name, inner(&given.body)),
        ItemKind::Opaque(kind) => format!("{pad}<?{kind}?>\n"),
        ItemKind::If(_) | ItemKind::Loop(_) | ItemKind::Switch(_) => item_control(item, level),
        ItemKind::Impl(_) | ItemKind::ModuleFile(_) => item_of_rust(item, level),
        ItemKind::Include(_)
        | ItemKind::Define(_)
        | ItemKind::Undef(_)
        | ItemKind::ErrorDirective
        | ItemKind::Conditional(_) => item_directive(item, level),
    }
}

fn item_function(function: &Function, level: usize) -> String {
    let pad = "  ".repeat(level);
    let flags = function.flags;
    let words = [
        (flags.global, "__global__ "),
        (flags.is_static, "static "),
        (flags.constexpr, "constexpr "),
    ];
    let words: String = words
        .iter()
        .filter(|(set, _)| *set)
        .map(|(_, word)| *word)
        .collect();
    let mut text = format!("{pad}{words}function {}", template(&function.tparams));
    if let Some(scope) = &function.scope {
        text += &format!("{scope}::");
    }
    text += &function.name.name;
    if let Some(args) = &function.special_args {
        text += &format!("<{}>", list(args));
    }
    text += &format!(
        "({}{})",
        params(&function.params),
        if flags.variadic { ", ..." } else { "" }
    );
    if let Some(ret) = &function.ret {
        text += &format!(" -> {ret}");
    }
    if let Some(requires) = &function.requires {
        text += &format!(" requires {requires}");
    }
    let tails = [
        (flags.is_virtual, " virtual"),
        (flags.constant, " const"),
        (flags.deleted, " deleted"),
        (flags.defaulted, " default"),
    ];
    text.extend(tails.iter().filter(|(set, _)| *set).map(|(_, word)| *word));
    for init in &function.member_inits {
        text += &format!(" : {}{}", init.target, group(&init.args));
    }
    text.push('\n');
    text + &function
        .body
        .as_ref()
        .map(|body| block(body, level + 1))
        .unwrap_or_default()
}

fn item_record(record: &Record, level: usize) -> String {
    let pad = "  ".repeat(level);
    let keyword = match record.kind {
        RecordKind::Struct => "struct",
        RecordKind::Class => "class",
        RecordKind::Union => "union",
        RecordKind::Trait => "trait",
    };
    let mut text = format!(
        "{pad}{keyword} {}{}",
        alignments(&record.alignas),
        template(&record.tparams)
    );
    if let Some(scope) = &record.scope {
        text += &format!("{scope}::");
    }
    text += record.name.as_ref().map_or("_unnamed", |name| &name.name);
    if let Some(args) = &record.special_args {
        text += &format!("<{}>", list(args));
    }
    if !record.bases.is_empty() {
        text += &format!(" : {}", list(&record.bases));
    }
    if let Some(requires) = &record.requires {
        text += &format!(" requires {requires}");
    }
    match &record.members {
        Some(members) => format!("{text}\n{}", block(members, level + 1)),
        None => format!("{text};\n"),
    }
}

fn item_of_rust(item: &Item, level: usize) -> String {
    let pad = "  ".repeat(level);
    match &item.kind {
        ItemKind::Impl(apart) => {
            let of = apart.of.as_ref().map(|of| format!("{of} for "));
            let head = template(&apart.tparams) + &of.unwrap_or_default();
            let inner = block(&apart.items, level + 1);
            format!("{pad}impl {head}{}\n{inner}", apart.target)
        }
        ItemKind::ModuleFile(module) => match &module.path {
            Some(path) => format!("{pad}module {} in {:?}\n", module.name.name, path.name),
            None => format!("{pad}module {}\n", module.name.name),
        },
        _ => String::new(),
    }
}

fn item_control(item: &Item, level: usize) -> String {
    let pad = "  ".repeat(level);
    let inner = |items: &[Item]| block(items, level + 1);
    let shown = |expr: &Option<Expr>| expr.as_ref().map(ToString::to_string).unwrap_or_default();
    let head = |items: &[Item]| block(items, 0).trim_end().replace('\n', "; ");
    match &item.kind {
        ItemKind::If(branch) => {
            let constexpr = if branch.constexpr { " constexpr" } else { "" };
            let init = head(&branch.init);
            let mut text = format!("{pad}if{constexpr} {init} {}\n", shown(&branch.condition));
            text += &inner(&branch.then);
            if let Some(otherwise) = &branch.otherwise {
                text += &format!("{pad}else\n{}", inner(otherwise));
            }
            text
        }
        ItemKind::Loop(looped) => {
            let kind = match looped.kind {
                LoopKind::For => "for",
                LoopKind::Range => "for each",
                LoopKind::While => "while",
                LoopKind::DoWhile => "do while",
            };
            let (init, condition, step) = (
                head(&looped.init),
                shown(&looped.condition),
                shown(&looped.step),
            );
            format!(
                "{pad}{kind} ({init}; {condition}; {step})\n{}",
                inner(&looped.body)
            )
        }
        ItemKind::Switch(switch) => {
            let mut text = format!("{pad}switch {}\n", shown(&switch.condition));
            text += &inner(&switch.before);
            for case in &switch.cases {
                let value = case
                    .value
                    .as_ref()
                    .map_or_else(|| "default".to_owned(), ToString::to_string);
                text += &format!("{pad}case {value}\n{}", inner(&case.body));
            }
            text
        }
        _ => String::new(),
    }
}

fn item_directive(item: &Item, level: usize) -> String {
    let pad = "  ".repeat(level);
    match &item.kind {
        ItemKind::Include(include) => {
            let (open, close) = if include.system {
                ('<', '>')
            } else {
                ('"', '"')
            };
            format!("{pad}#include {open}{}{close}\n", include.path.name)
        }
        ItemKind::Define(define) => {
            let mut text = format!("{pad}#define {}", define.name.name);
            if let Some(params) = &define.params {
                let names: Vec<_> = params.iter().map(|name| name.name.as_str()).collect();
                text += &format!("({})", names.join(", "));
            }
            if let Some(value) = &define.value {
                text += &format!(" = {value}");
            }
            text + "\n"
        }
        ItemKind::Undef(name) => format!("{pad}#undef {}\n", name.name),
        ItemKind::ErrorDirective => format!("{pad}#error\n"),
        ItemKind::Conditional(conditional) => {
            let mut text = String::new();
            for branch in &conditional.branches {
                // Writing to a string cannot fail.
                let _ = match &branch.condition {
                    Condition::If(condition) => writeln!(text, "{pad}#if {condition}"),
                    Condition::Defined(name) => writeln!(text, "{pad}#ifdef {}", name.name),
                    Condition::NotDefined(name) => writeln!(text, "{pad}#ifndef {}", name.name),
                    Condition::Else => writeln!(text, "{pad}#else"),
                };
                text += &block(&branch.items, level + 1);
            }
            text
        }
        _ => String::new(),
    }
}
