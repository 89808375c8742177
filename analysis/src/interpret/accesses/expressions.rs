//! Values of expressions of a kernel.

use tree_sitter_cute::tree::{BinaryOp, Expr, ExprKind, Span, UnaryOp};

use super::held::{Held, Pointer, Ty, kind_of};
use super::roots::root_of;
use super::rust::kind_of_rust;
use super::{AXES, Walker};
use crate::access::alike::Alike;
use crate::access::terms::{IntKind, Operator, SymbolKind, TermId};
use crate::access::{AccessSpace, Guard, INDEX};
use crate::reason::Reason;
use crate::stack::with_room;
use crate::types::Type;
use crate::value::Value;

/// Levels of the interpreter that one level of the walk counts as.
const LEVELS: usize = 3;

impl<'u> Walker<'_, 'u> {
    /// The value of an expression; accesses in it are kept.
    pub(super) fn value(&mut self, expr: &'u Expr) -> Held<'u> {
        if !self.step() {
            return Held::Other("the kernel is too large".into(), None);
        }
        let held = self.nested(|it| it.value_of_kind(expr));
        held.unwrap_or_else(|| {
            self.unseen();
            Held::Other("too many nested evaluations".into(), None)
        })
    }

    /// Goes one level deeper, which takes as much stack as several of the interpreter.
    pub(super) fn nested<T>(&mut self, walk: impl FnOnce(&mut Self) -> T) -> Option<T> {
        let mut entered = 0;
        while entered < LEVELS && self.it.nesting.enter() {
            entered += 1;
        }
        let result = (entered == LEVELS).then(|| with_room(|| walk(self)));
        for _ in 0..entered {
            self.it.nesting.leave();
        }
        result
    }

    /// An expression as an integer.
    pub(super) fn term(&mut self, expr: &'u Expr) -> TermId {
        let held = self.value(expr);
        self.term_of(&held)
    }

    pub(super) fn term_of(&mut self, held: &Held<'u>) -> TermId {
        match held {
            Held::Int(term) => *term,
            Held::Pointer(pointer) => self.is_pointer(pointer),
            Held::Null => self.terms().number(0, IntKind::BOOL),
            Held::Given(part) if !part.is_whole => self.given_number(part, IntKind::LONG),
            other => {
                let kind = match other.ty(&self.out.terms) {
                    Some(Ty::Int(kind)) => kind,
                    _ => IntKind::INT,
                };
                let why = other.reason();
                self.unknown(&why, kind)
            }
        }
    }

    fn value_of_kind(&mut self, expr: &'u Expr) -> Held<'u> {
        match &expr.kind {
            ExprKind::Int(value) => {
                let kind = self.literal_kind(expr, *value);
                self.number(*value, kind)
            }
            ExprKind::Bool(value) => self.number(i64::from(*value), IntKind::BOOL),
            ExprKind::Char(letter) => {
                let code = i64::from(u32::from(*letter));
                self.number(code, IntKind::new(8, true))
            }
            ExprKind::Name(_) => self.name(expr),
            ExprKind::Member { object, member, .. } => self.member(expr, object, &member.name.name),
            ExprKind::Index(..) => self.loaded(expr),
            ExprKind::Unary(UnaryOp::Try, option) => self.content_or_leave(expr, option),
            ExprKind::Tuple(elements) if self.it.is_rust() => self.tuple(elements),
            ExprKind::Braced(elements) if self.it.is_rust() => self.array_of_rust(elements),
            ExprKind::Array(element, Some(count)) if self.it.is_rust() => {
                self.value(count);
                self.array_of_rust(std::slice::from_ref(element))
            }
            ExprKind::Unary(op, operand) => self.unary(expr, *op, operand),
            ExprKind::Binary(op, left, right) => self.binary(expr, *op, left, right),
            ExprKind::Ternary(condition, then, otherwise) => {
                let term = self.term(condition);
                if let Some(value) = self.out.terms.as_number(term) {
                    return self.value(if value == 0 { otherwise } else { then });
                }
                let truth = self.terms().truth(term);
                let then = self.under(truth, condition, then);
                let not = self.terms().not(truth);
                let otherwise = self.under(not, condition, otherwise);
                self.joined(truth, then, otherwise)
            }
            ExprKind::Cast(_, ty, operand) => {
                let held = self.value(operand);
                let ty = self.ty(ty);
                let held = self.converted(held, &ty);
                self.comes_from(&held, expr, operand.span);
                held
            }
            ExprKind::Construct { ty, args, .. } => self.construct(expr, ty, args),
            ExprKind::Designated(_, value) => self.value(value),
            ExprKind::Call(..) => match self.called(expr) {
                Held::Pointed(place) => self.loaded_from(expr, Ok(place)),
                held => held,
            },
            ExprKind::Assign(assignment) => self.assign(assignment),
            ExprKind::Lambda(lambda) => Held::Lambda(self.lambda(lambda)),
            ExprKind::Sizeof(operand) => self.size_of_operand(expr, operand),
            ExprKind::Null => Held::Null,
            ExprKind::Float(_) => Held::Other("it is not an integer".into(), None),
            ExprKind::Braced(items) => {
                for item in items {
                    self.value(item);
                }
                Held::Other("a list in braces".into(), None)
            }
            ExprKind::Macro(call) => {
                if let Some(expansion) = self.it.expression_of_macro(expr, call, &self.frame) {
                    return self.expanded_from(expr, |it| it.value(expansion));
                }
                self.unseen();
                self.ask(expr)
            }
            ExprKind::Opaque(_) => {
                self.unseen();
                self.ask(expr)
            }
            _ => self.ask(expr),
        }
    }

    /// Whether an expression is a literal of Rust that has the type of its surroundings.
    pub(super) fn is_open_literal(&self, expr: &Expr) -> bool {
        let text = self.it.program.slice(expr.span);
        matches!(expr.kind, ExprKind::Int(_)) && suffix_of_rust(text).is_none()
    }

    /// The type of an integer literal: its suffix, and its size ([lex.icon]).
    fn literal_kind(&self, expr: &Expr, value: i64) -> IntKind {
        let text = self.it.program.slice(expr.span);
        let digits = text.trim_end_matches(['u', 'U', 'l', 'L', 'z', 'Z']);
        let suffix = text.get(digits.len()..).unwrap_or_default();
        let unsigned = suffix.contains(['u', 'U']);
        let is_long = suffix.contains(['l', 'L', 'z', 'Z']);
        let plain = text.starts_with(|c: char| ('1'..='9').contains(&c)) || text == "0";
        let signed_fits = i32::try_from(value).is_ok();
        if self.it.is_rust() {
            // Without a suffix it has the type of its surroundings, see `literals_of_rust`.
            return suffix_of_rust(text).unwrap_or(IntKind::LONG);
        }
        match (is_long, unsigned) {
            (false, true) if u32::try_from(value).is_ok() => IntKind::UNSIGNED,
            (_, true) => IntKind::UNSIGNED_LONG,
            (false, false) if signed_fits => IntKind::INT,
            (false, false) if !plain && u32::try_from(value).is_ok() => IntKind::UNSIGNED,
            (_, false) => IntKind::LONG,
        }
    }

    fn name(&mut self, expr: &'u Expr) -> Held<'u> {
        let Some(name) = expr.as_plain_name() else {
            let limit = match expr.as_path() {
                Some(path) if self.it.is_rust() => self.rust_limit(path),
                _ => None,
            };
            return limit.unwrap_or_else(|| self.ask(expr));
        };
        if let Some(held) = self.variable(name, expr) {
            return held;
        }
        if self.it.is_rust()
            && let Some(held) = self.rust_constant(name, expr)
        {
            return held;
        }
        if name == "warpSize" {
            return self.number(32, IntKind::INT);
        }
        if let Some(replacement) = self.it.program.macro_value(name, expr.span) {
            return self.value(replacement);
        }
        self.ask(expr)
    }

    /// The value of a variable.
    fn variable(&mut self, name: &'u str, expr: &'u Expr) -> Option<Held<'u>> {
        // Code that has the address of an array may change its elements.
        self.escape_named(name);
        Some(match self.find(name)?.held.clone() {
            Held::Pointed(place) => self.loaded_from(expr, Ok(place)),
            held => held,
        })
    }

    /// `threadIdx.x` and its kin, members of variables, and members of objects in memory.
    fn member(&mut self, expr: &'u Expr, object: &'u Expr, member: &str) -> Held<'u> {
        if let Some(name) = self.own_member(expr)
            && let Some(held) = self.variable(name, expr)
        {
            return held;
        }
        if let Some(given) = self.given_part(expr) {
            return given;
        }
        if self.it.is_rust()
            && let Some(held) = self.axis_of_call(object, member, expr)
        {
            return held;
        }
        if let Some(name) = object.as_plain_name() {
            if self.find(name).is_none()
                && let Some(axis) = AXES.iter().position(|axis| *axis == member)
                && let Some(held) = self.builtin(name, axis, expr)
            {
                return held;
            }
            match self.find(name).map(|local| &local.held) {
                Some(Held::Parts(parts)) => {
                    return match parts.get(member).cloned() {
                        Some(Held::Pointed(place)) => self.loaded_from(expr, Ok(place)),
                        Some(part) => part,
                        None => Held::Other("a member without a value".into(), None),
                    };
                }
                // A member of the object that the reference names.
                Some(Held::Pointed(_)) => return self.loaded(expr),
                Some(Held::Pointer(_)) | None => {}
                Some(_) if self.is_of_unread_type(name) => {
                    let own = format!("{name}.{member}");
                    let terms = self.terms();
                    let kind = IntKind::UNSIGNED;
                    return Held::Int(terms.shared(&own, SymbolKind::Uniform, kind, super::LEAST));
                }
                Some(held) => return Held::Other(held.reason(), None),
            }
            if self.find(name).is_none() {
                return self.ask(expr);
            }
        }
        if self.is_place(expr) {
            return self.loaded(expr);
        }
        if self.names_local(expr) {
            let object = self.value(object);
            return match object {
                Held::Parts(parts) => match parts.get(member).cloned() {
                    Some(Held::Pointed(place)) => self.loaded_from(expr, Ok(place)),
                    Some(part) => part,
                    None => Held::Other("a member without a value".into(), None),
                },
                // Where something else has decided that it is there.
                Held::Maybe(maybe) if member == "0" => maybe.held,
                other => Held::Other(other.reason(), None),
            };
        }
        self.ask(expr)
    }

    /// `threadIdx.x`, `blockIdx.x`, `blockDim.x`, `gridDim.x`.
    pub(super) fn builtin(&mut self, name: &str, axis: usize, expr: &'u Expr) -> Option<Held<'u>> {
        let (kind, least) = match name {
            "threadIdx" => (SymbolKind::Thread(axis), 0),
            "blockDim" => (SymbolKind::BlockSize(axis), 1),
            "blockIdx" => (SymbolKind::Uniform, 0),
            "gridDim" => (SymbolKind::Uniform, 1),
            _ => return None,
        };
        let named = format!("{name}.{}", AXES.get(axis).unwrap_or(&"x"));
        if matches!(kind, SymbolKind::Thread(_) | SymbolKind::BlockSize(_)) {
            if let Some(asked) = self.out.axes.get_mut(axis) {
                *asked = true;
            }
        } else if let Some(value) = self.it.assumed_value(&named, expr.span) {
            return Some(self.number(value, IntKind::UNSIGNED));
        }
        let terms = self.terms();
        Some(Held::Int(terms.shared(
            &named,
            kind,
            IntKind::UNSIGNED,
            least,
        )))
    }

    /// `sizeof(T)`: a number, or a symbol where only the instance says it.
    fn size_of_operand(&mut self, expr: &'u Expr, operand: &'u Expr) -> Held<'u> {
        let local = operand.as_plain_name().and_then(|name| self.find(name));
        let ty = match local {
            Some(local) => local.ty.clone(),
            None => match self.ask_quietly(expr) {
                Some(number) => return self.number(number, IntKind::UNSIGNED_LONG),
                None if self.it.is_function_type(operand, &mut self.frame) => {
                    return self.ask(expr);
                }
                None => self.ty(operand),
            },
        };
        match self.size(&ty) {
            Some(size) => Held::Int(self.terms().convert(size, IntKind::UNSIGNED_LONG)),
            None => self.ask(expr),
        }
    }

    /// The number that the interpreter knows of an expression without variables of the walk.
    fn ask_quietly(&mut self, expr: &'u Expr) -> Option<i64> {
        if self.names_local(expr) {
            return None;
        }
        self.it.eval(expr, &mut self.frame).as_int()?.value()
    }

    /// The interpreter's value of an expression without variables of the walk: constants, members of parameters.
    pub(super) fn ask(&mut self, expr: &'u Expr) -> Held<'u> {
        if self.names_local(expr) {
            let why = format!("`{}` is not followed", self.text(expr.span));
            return Held::Other(why.into(), None);
        }
        if let Some(why) = root_of(expr).and_then(|root| self.elsewhere.why(root)) {
            return Held::Other(why.into(), None);
        }
        let value = self.it.eval(expr, &mut self.frame);
        let is_name = matches!(expr.kind, ExprKind::Name(_) | ExprKind::Member { .. });
        match value {
            // One number for all threads, which only the instance says.
            Value::Unknown(reason)
                if is_number(expr)
                    && (matches!(reason, Reason::Unbound(_) | Reason::OfBuild(_))
                        || self.is_of_template(expr)) =>
            {
                let written = self.text(expr.span);
                let name = self.own_name(written);
                let terms = self.terms();
                Held::Int(terms.shared(&name, SymbolKind::Uniform, IntKind::INT, super::LEAST))
            }
            value => {
                let written = self.text(expr.span);
                self.known(value, &written, is_name)
            }
        }
    }

    /// Whether an expression is a parameter of a template around it, or a static member of one.
    fn is_of_template(&self, expr: &Expr) -> bool {
        let first = expr.as_path().and_then(|path| path.segments.first());
        first.is_some_and(|first| self.frame.find(&first.name.name).is_some())
    }

    /// A value of the interpreter, with its text: a name of an integer or of a pointer is one for all threads.
    pub(super) fn known(&mut self, value: Value, written: &str, is_name: bool) -> Held<'u> {
        match value {
            Value::Int(int) => match int.value() {
                Some(number) => self.number(number, kind_of(&int)),
                None if is_name => {
                    let kind = kind_of(&int);
                    let terms = self.terms();
                    Held::Int(terms.shared(written, SymbolKind::Uniform, kind, super::LEAST))
                }
                None => Held::Other(format!("`{written}` is not followed").into(), None),
            },
            Value::Bool(truth) => self.number(i64::from(truth.value), IntKind::BOOL),
            Value::Number(scalar) => {
                Held::Other("it is not an integer".into(), Some(Ty::of_scalar(scalar)))
            }
            Value::Pointer(pointer) if is_name => {
                let target = match pointer.element.as_deref() {
                    Some(ty) => self.ty_of(ty.clone()),
                    None => Ty::Other(Type::Placeholder, None),
                };
                self.pointer_to(written, target, AccessSpace::Global, None)
            }
            Value::Unknown(reason) => Held::Other(reason.to_string().into(), None),
            // A constant array of Rust is in no memory that a kernel is given.
            Value::Tuple(_) if is_name && self.it.is_rust() => self.fragment(),
            other => match self.ty_of(Type::of(&other)) {
                Ty::Pointer(target) if is_name => {
                    self.pointer_to(written, *target, AccessSpace::Global, None)
                }
                ty => Held::Other("it is not an integer".into(), Some(ty)),
            },
        }
    }

    fn binary(
        &mut self,
        expr: &'u Expr,
        op: BinaryOp,
        left: &'u Expr,
        right: &'u Expr,
    ) -> Held<'u> {
        if let Some(Ok(respelt)) = self.it.respelt(expr, &self.frame) {
            return self.value(respelt);
        }
        match op {
            BinaryOp::Comma => {
                self.value(left);
                self.value(right)
            }
            BinaryOp::And | BinaryOp::Or => {
                let condition = self.term(left);
                let truth = self.terms().truth(condition);
                let on_the_way = if op == BinaryOp::And {
                    truth
                } else {
                    self.terms().not(truth)
                };
                let right = self.under(on_the_way, left, right);
                let right = self.term_of(&right);
                let operator = if op == BinaryOp::And {
                    Operator::Both
                } else {
                    Operator::Either
                };
                Held::Int(self.terms().binary(operator, truth, right))
            }
            _ => {
                if let Some(held) = self.cast_by_name(expr, op, (left, right)) {
                    return held;
                }
                if let Some(held) = self.operator_called(expr, op, (left, right)) {
                    return held;
                }
                let factor = left.span;
                let literals = (self.is_open_literal(left), self.is_open_literal(right));
                let left = self.value(left);
                let right = self.value(right);
                let (left, right) = if self.it.is_rust() {
                    self.literals_of_rust((left, right), literals)
                } else {
                    (left, right)
                };
                let held = self.operation(op, left, right);
                self.comes_from(&held, expr, factor);
                held
            }
        }
    }

    /// Notes the expression of a number, and the operand that decides on its type.
    pub(super) fn comes_from(&mut self, held: &Held<'u>, expr: &'u Expr, factor: Span) {
        if let Held::Int(term) = held {
            self.out.origins.note(*term, expr.span, factor);
        }
    }

    /// An expression that is evaluated under a condition only.
    fn under(&mut self, condition: TermId, written: &'u Expr, expr: &'u Expr) -> Held<'u> {
        self.push_guard(condition, written);
        let held = self.value(expr);
        self.course.guards.pop();
        held
    }

    pub(super) fn push_guard(&mut self, condition: TermId, written: &'u Expr) {
        let text = self.text(written.span);
        self.course.guards.push(Guard {
            condition,
            text: text.into(),
            exit: None,
        });
    }

    /// `left op right`.
    pub(super) fn operation(&mut self, op: BinaryOp, left: Held<'u>, right: Held<'u>) -> Held<'u> {
        if let Some(sum) = self.given_sum(op, &left, &right) {
            return sum;
        }
        let (left, right) = (self.as_operand(left), self.as_operand(right));
        match (op, left, right) {
            (BinaryOp::Add, Held::Pointer(pointer), Held::Int(by))
            | (BinaryOp::Add, Held::Int(by), Held::Pointer(pointer)) => {
                self.stepped(pointer, by, false)
            }
            (BinaryOp::Sub, Held::Pointer(pointer), Held::Int(by)) => {
                self.stepped(pointer, by, true)
            }
            (_, Held::Int(left), Held::Int(right)) => self.arithmetic(op, left, right),
            (BinaryOp::Ne, Held::Pointer(pointer), Held::Null)
            | (BinaryOp::Ne, Held::Null, Held::Pointer(pointer)) => {
                Held::Int(self.is_pointer(&pointer))
            }
            (BinaryOp::Eq, Held::Pointer(pointer), Held::Null)
            | (BinaryOp::Eq, Held::Null, Held::Pointer(pointer)) => {
                let is_pointer = self.is_pointer(&pointer);
                Held::Int(self.terms().not(is_pointer))
            }
            (BinaryOp::Eq | BinaryOp::Ne, Held::Null, Held::Null) => {
                self.number(i64::from(op == BinaryOp::Eq), IntKind::BOOL)
            }
            (BinaryOp::Add | BinaryOp::Sub, Held::Pointer(pointer), other) => {
                Held::Other(other.reason(), Some(Ty::Pointer(Box::new(pointer.target))))
            }
            (_, left @ Held::Other(..), _) => left,
            (_, _, right @ Held::Other(..)) => right,
            (_, left, _) => Held::Other(left.reason(), None),
        }
    }

    /// Whether a pointer is not a null pointer, for all threads alike.
    fn is_pointer(&mut self, pointer: &Pointer) -> TermId {
        let alike = self.out.terms.alike(pointer.offset);
        match &pointer.memory {
            Some(memory) if alike == Some(Alike::Block) => {
                let name = format!("({} != nullptr)", memory.name);
                let terms = self.terms();
                terms.shared(&name, SymbolKind::Uniform, IntKind::BOOL, 0)
            }
            _ => self.unknown("whether a pointer is null", IntKind::BOOL),
        }
    }

    fn arithmetic(&mut self, op: BinaryOp, left: TermId, right: TermId) -> Held<'u> {
        let terms = self.terms();
        let (operator, left, right) = match op {
            BinaryOp::Add => (Operator::Add, left, right),
            BinaryOp::Sub => (Operator::Sub, left, right),
            BinaryOp::Mul => (Operator::Mul, left, right),
            BinaryOp::Div => (Operator::Div, left, right),
            BinaryOp::Rem => (Operator::Rem, left, right),
            BinaryOp::Shl => (Operator::Shl, left, right),
            BinaryOp::Shr => (Operator::Shr, left, right),
            BinaryOp::BitAnd => (Operator::And, left, right),
            BinaryOp::BitOr => (Operator::Or, left, right),
            BinaryOp::BitXor => (Operator::Xor, left, right),
            BinaryOp::And => (Operator::Both, left, right),
            BinaryOp::Or => (Operator::Either, left, right),
            BinaryOp::Eq => (Operator::Equal, left, right),
            BinaryOp::Ne => (Operator::NotEqual, left, right),
            BinaryOp::Lt => (Operator::Less, left, right),
            BinaryOp::Le => (Operator::LessEqual, left, right),
            BinaryOp::Gt => (Operator::Less, right, left),
            BinaryOp::Ge => (Operator::LessEqual, right, left),
            BinaryOp::FloorDiv | BinaryOp::Power | BinaryOp::Spaceship | BinaryOp::Comma => {
                return Held::Other("an operator that is not followed".into(), None);
            }
        };
        Held::Int(terms.binary(operator, left, right))
    }

    /// A pointer some elements further on.
    pub(super) fn stepped(&mut self, pointer: Pointer, by: TermId, back: bool) -> Held<'u> {
        // The register in which a thread keeps something does not matter.
        if pointer.memory.is_none() {
            return Held::Pointer(pointer);
        }
        let Some(bytes) = self.size(&pointer.target) else {
            let ty = Ty::Pointer(Box::new(pointer.target));
            return Held::Other("the size of its type is not known".into(), Some(ty));
        };
        let terms = self.terms();
        let by = terms.convert(by, INDEX);
        let distance = terms.binary(Operator::Mul, by, bytes);
        let operator = if back { Operator::Sub } else { Operator::Add };
        let offset = terms.binary(operator, pointer.offset, distance);
        Held::Pointer(Pointer {
            offset,
            length: None,
            ..pointer
        })
    }
}

/// Whether an expression is a number where it is written, judged by its form: a name, a part of a class, arithmetic.
fn is_number(expr: &Expr) -> bool {
    matches!(
        expr.kind,
        ExprKind::Name(_)
            | ExprKind::Member { .. }
            | ExprKind::Binary(..)
            | ExprKind::Unary(..)
            | ExprKind::Ternary(..)
            | ExprKind::Sizeof(_)
    )
}

/// The type that the suffix of a literal of Rust gives: `0u32`.
fn suffix_of_rust(text: &str) -> Option<IntKind> {
    let start = text.find(['u', 'i'])?;
    kind_of_rust(text.get(start..)?)
}
