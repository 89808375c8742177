//! The calls at named barriers: `NamedBarrier::sync(256, 1)`, an object of that class, `bar.sync 1, 256` and functions that are
//! one such instruction.

use tree_sitter_cute::tree::{
    Binding, Expr, ExprKind, Function, Item, ItemKind, Path, Segment, Span,
};

use super::super::Seen;
use super::super::called::Called;
use super::super::thread_sets::Asked;
use crate::ptx;
use crate::walk;

/// The class of CUTLASS.
const CLASS: &str = "NamedBarrier";
/// Its enumeration of barriers that the library itself uses, whose numbers stay as they are.
const RESERVED: &str = "ReservedNamedBarriers";

/// The kind of a call at a barrier.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cost) enum Kind {
    /// The threads wait for the others.
    Sync,
    /// The threads go on.
    Arrive,
}

/// A number of a call.
#[derive(Debug, Clone, Copy)]
pub(in crate::cost) enum Operand<'u> {
    /// As assembly writes it.
    Known(i64),
    /// An expression of the source.
    Written(&'u Expr),
}

impl<'u> Operand<'u> {
    /// The number in a thread, where it is the same whenever the thread comes.
    pub(super) fn in_thread(self, seen: &Seen<'_, 'u>, thread: i64) -> Option<i64> {
        match self {
            Self::Known(number) => Some(number),
            Self::Written(expr) => Asked::number(seen, thread, expr),
        }
    }
}

/// A call at a named barrier.
#[derive(Debug, Clone, Copy)]
pub(in crate::cost) struct AtBarrier<'u> {
    pub(in crate::cost) kind: Kind,
    /// Whether CUTLASS numbers it: its barriers of users are apart from those of assembly.
    pub(in crate::cost) is_of_users: bool,
    /// The barriers before it that CUTLASS keeps for itself, where its header says how many.
    pub(in crate::cost) reserved: Option<i64>,
    pub(in crate::cost) number: Operand<'u>,
    pub(in crate::cost) count: Operand<'u>,
    pub(in crate::cost) call: &'u Expr,
}

/// An object of the class.
pub(super) struct Object<'u> {
    declared: Span,
    reserved: Option<i64>,
    number: Operand<'u>,
    count: Operand<'u>,
}

/// The call at a named barrier that an expression is: nothing, a known one, or one that is not understood.
type AtBarriers<'u> = Result<Option<AtBarrier<'u>>, ()>;

/// All calls in some statements, which may use these objects; nothing where one is not understood.
pub(in crate::cost) fn all<'u>(
    seen: &Seen<'_, 'u>,
    body: &'u [Item],
) -> Option<Vec<AtBarrier<'u>>> {
    let objects = objects(seen, body)?;
    let mut found = Vec::new();
    let mut is_known = true;
    walk::expressions(body, &mut |expr| match one(seen, expr, &objects) {
        Ok(call) => found.extend(call),
        Err(()) => is_known = false,
    });
    is_known.then_some(found)
}

fn one<'u>(seen: &Seen<'_, 'u>, expr: &'u Expr, objects: &[Object<'u>]) -> AtBarriers<'u> {
    if walk::is_assembly(expr) {
        return of_assembly(seen, expr);
    }
    let Some(called) = Called::of(expr) else {
        return Ok(None);
    };
    if let Some(known) = of_class(seen, &called) {
        return known;
    }
    match called.object {
        Some(object) => of_object(seen, &called, object, objects),
        None => of_function(seen, &called),
    }
}

/// An assembly statement that is one `bar.sync` or `bar.arrive` of two operands; an error where it is another one.
fn of_assembly<'t>(seen: &Seen<'_, '_>, expr: &'t Expr) -> AtBarriers<'t> {
    let ExprKind::Call(_, args) = &expr.kind else {
        return Ok(None);
    };
    if !seen.file.contains(expr.span) {
        return Err(());
    }
    let template = ptx::template(seen.written(expr.span));
    let mut found = None;
    for instruction in ptx::instructions(&template) {
        let words: Vec<&str> = instruction.name.split('.').collect();
        let kind = match words.as_slice() {
            ["bar" | "barrier", "sync"]
            | ["bar" | "barrier", "cta", "sync"]
            | ["barrier", "sync", "aligned"]
            | ["barrier", "cta", "sync", "aligned"] => Kind::Sync,
            ["bar" | "barrier", "arrive"]
            | ["bar" | "barrier", "cta", "arrive"]
            | ["barrier", "arrive", "aligned"]
            | ["barrier", "cta", "arrive", "aligned"] => Kind::Arrive,
            // Of one warp, of a cluster.
            ["bar", "warp", ..] | ["barrier", "cluster", ..] => continue,
            ["bar" | "barrier", ..] => return Err(()),
            _ => continue,
        };
        if instruction.is_predicated {
            return Err(());
        }
        let operand = |written: &str| {
            let written = written.trim();
            match written.strip_prefix('%') {
                Some(place) => args.get(place.parse::<usize>().ok()?).map(Operand::Written),
                None => written.parse().ok().map(Operand::Known),
            }
        };
        let operands: Option<Vec<Operand<'t>>> =
            instruction.operands.split(',').map(operand).collect();
        match operands.as_deref() {
            Some([number, count]) if found.is_none() => {
                found = Some(AtBarrier {
                    kind,
                    is_of_users: false,
                    reserved: None,
                    number: *number,
                    count: *count,
                    call: expr,
                });
            }
            // `__syncthreads()`
            Some([Operand::Known(0)]) => {}
            _ => return Err(()),
        }
    }
    Ok(found)
}

/// A function of the file whose only statement is such an instruction, on numbers that it is given.
fn of_function<'u>(seen: &Seen<'_, 'u>, called: &Called<'u>) -> AtBarriers<'u> {
    let [function] = seen.declared.functions(called.name) else {
        return Ok(None);
    };
    let Some([only]) = function.body.as_deref() else {
        return Ok(None);
    };
    let ItemKind::Expr(assembly) = &only.kind else {
        return Ok(None);
    };
    if !walk::is_assembly(assembly) {
        return Ok(None);
    }
    let Some(inner) = of_assembly(seen, assembly)? else {
        return Ok(None);
    };
    let given = |operand: Operand<'_>| match operand {
        Operand::Known(number) => Some(Operand::Known(number)),
        Operand::Written(expr) => {
            argument(function, called.args, expr.as_plain_name()?).map(Operand::Written)
        }
    };
    let number = given(inner.number).ok_or(())?;
    let count = given(inner.count).ok_or(())?;
    Ok(Some(AtBarrier {
        kind: inner.kind,
        is_of_users: false,
        reserved: None,
        number,
        count,
        call: called.call,
    }))
}

/// The argument of a parameter, by its name.
fn argument<'u>(function: &Function, args: &'u [Expr], name: &str) -> Option<&'u Expr> {
    let is_it = |param: &Binding| param.name.as_ref().is_some_and(|own| own.name == name);
    args.get(function.params.iter().position(is_it)?)
}

/// The class in the path of one of its functions.
pub(in crate::cost) fn class_of(path: &Path) -> Option<&Segment> {
    match path.segments.as_slice() {
        [.., class, _] if class.name.name == CLASS => Some(class),
        _ => None,
    }
}

/// `NamedBarrier::sync(256, 1)`; nothing where it is another function.
fn of_class<'u>(seen: &Seen<'_, 'u>, called: &Called<'u>) -> Option<AtBarriers<'u>> {
    let ExprKind::Call(callee, args) = &called.call.kind else {
        return None;
    };
    let class = class_of(callee.as_path()?)?;
    Some(match (kind_of(called.name), args.as_slice()) {
        (Some(kind), [count, number]) => Ok(Some(AtBarrier {
            kind,
            is_of_users: !is_reserved(number),
            reserved: seen.run.constants.number(class.name.span),
            number: Operand::Written(number),
            count: Operand::Written(count),
            call: called.call,
        })),
        _ => Err(()),
    })
}

/// Whether a number is one of the library's own barriers.
fn is_reserved(number: &Expr) -> bool {
    let mut found = false;
    walk::subexpressions(number, &mut |part| {
        let path = part.as_path();
        found |= path.is_some_and(|path| path.segments.iter().any(|it| it.name.name == RESERVED));
    });
    found
}

fn kind_of(method: &str) -> Option<Kind> {
    match method {
        "sync" | "arrive_and_wait" => Some(Kind::Sync),
        "arrive" => Some(Kind::Arrive),
        _ => None,
    }
}

/// The objects of the class in some statements; nothing where one is made in another way.
fn objects<'u>(seen: &Seen<'_, '_>, body: &'u [Item]) -> Option<Vec<Object<'u>>> {
    let mut found = Vec::new();
    let mut is_known = true;
    walk::items(body, &mut |item| {
        let ItemKind::Binding(binding) = &item.kind else {
            return;
        };
        let last = binding
            .ty
            .as_ref()
            .and_then(Expr::as_path)
            .and_then(Path::last);
        let (Some(last), Some(name)) = (last, &binding.name) else {
            return;
        };
        if last.name.name != CLASS {
            return;
        }
        let args = match binding.init.as_ref().map(|init| &init.kind) {
            Some(ExprKind::Construct { args, .. } | ExprKind::Braced(args)) => args.as_slice(),
            _ => &[],
        };
        match args {
            [count, number] if !is_reserved(number) => {
                found.push(Object {
                    declared: name.span,
                    reserved: seen.run.constants.number(last.name.span),
                    number: Operand::Written(number),
                    count: Operand::Written(count),
                });
            }
            _ => is_known = false,
        }
    });
    is_known.then_some(found)
}

/// `full.arrive_and_wait()`
fn of_object<'u>(
    seen: &Seen<'_, 'u>,
    called: &Called<'u>,
    object: &'u Expr,
    objects: &[Object<'u>],
) -> AtBarriers<'u> {
    let declared = seen.variable(object);
    let Some(object) = objects
        .iter()
        .find(|object| Some(object.declared) == declared)
    else {
        return Ok(None);
    };
    match kind_of(called.name).filter(|_| called.args.is_empty()) {
        Some(kind) => Ok(Some(AtBarrier {
            kind,
            is_of_users: true,
            reserved: object.reserved,
            number: object.number,
            count: object.count,
            call: called.call,
        })),
        None => Err(()),
    }
}
