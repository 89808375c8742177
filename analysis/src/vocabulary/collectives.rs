//! CUTLASS's collective builders: which mainloop, which epilogue and which kernel their arguments mean.
//!
//! The rules are those of CUTLASS 4.2 ([`cute_hardware::collective`]); here arguments are read and refusals become
//! findings.

use std::sync::Arc;

use cute_hardware::collective::{
    Epilogue, EpilogueRequest, EpilogueSchedule, Fusion, FusionKind, GemmKernel, KernelSchedule,
    MainloopRequest, MemoryOrder, NotBuilt, OperandRequest, OutputRequest, StageCount, Target,
    TileScheduler,
};
use cute_hardware::{Element, Refusal, Rule};

use super::built;
use super::call::number;
use super::names::argument;
use super::{Evaluated, Problem, Remark, Surroundings};
use crate::collective::{Collective, Gemm};
use crate::reason::Reason;
use crate::types::{Scalar, ScalarClass, Type};
use crate::value::Value;

/// Tags that are arguments of builders, besides the schedules.
const TAGS: &[&str] = &[
    "Sm80",
    "Sm86",
    "Sm89",
    "Sm90",
    "Sm100",
    "Sm101",
    "Sm103",
    "Sm120",
    "OpClassTensorOp",
    "OpClassSparseTensorOp",
    "OpClassBlockScaledTensorOp",
    "OpClassSimt",
    "EpilogueTileAuto",
    "PersistentScheduler",
    "StreamKScheduler",
];

/// Whether a name is a tag that builders take.
pub(super) fn is_tag(name: &str) -> bool {
    TAGS.contains(&name)
        || KernelSchedule::named(name).is_some()
        || EpilogueSchedule::named(name).is_some()
}

/// Whether a name is the vocabulary's even where its declaration is visible: its meaning cannot be read off the
/// specialisations that CUTLASS declares, or the vocabulary knows it better, as the types of elements.
pub(crate) fn is_word(name: &str) -> bool {
    is_tag(name)
        || Scalar::of_spelling(name).is_some()
        || is_class(name)
        || is_template(name)
        || fusion_of(name).is_some()
        || matches!(name, "sizeof_bits" | "sizeof_bits_v")
}

/// A template that the rules choose for: where its specialisations are visible they give the results that the rules do
/// not.
pub(crate) fn is_template(name: &str) -> bool {
    matches!(
        name,
        "CollectiveBuilder" | "GemmUniversal" | "GemmUniversalAdapter"
    )
}

/// A class that builders take as an argument. A visible declaration makes it that class, so that the specialisations of
/// a builder match it; the rules know it by its name.
pub(crate) fn is_class(name: &str) -> bool {
    fusion_of(name).is_some()
        || matches!(
            name,
            "StageCount"
                | "StageCountAuto"
                | "StageCountAutoCarveout"
                | "StageCountAutoCarveoutEpi"
        )
}

/// A name without template arguments.
pub(super) fn plain(name: &str) -> Option<Value> {
    if name == "StageCountAuto" {
        return Some(Collective::Stages(StageCount::Auto { carveout: 0 }).into_type());
    }
    if name == "Sm90AccFetch" {
        return Some(Collective::Fusion(visitors()).into_type());
    }
    is_tag(name).then(|| Value::Type(Box::new(Type::Named(name.into()))))
}

/// A name with template arguments.
pub(crate) fn with_arguments(
    name: &str,
    args: &[Value],
    surroundings: Surroundings,
) -> Option<Evaluated> {
    if let Some(fusion) = fusion_of(name) {
        return Some(fused(fusion, name, args));
    }
    let answer = match name {
        "CollectiveBuilder" => builder(args, surroundings),
        "GemmUniversal" => kernel(args),
        "GemmUniversalAdapter" => adapter(args),
        "StageCount" => stages(args).map(StageCount::Fixed).map(stage_type),
        "StageCountAutoCarveout" => stages(args)
            .map(|carveout| StageCount::Auto { carveout })
            .map(stage_type),
        "StageCountAutoCarveoutEpi" => carveout_of_epilogue(args),
        _ => return None,
    };
    // The rules are of one version; another one may pick otherwise.
    if let (Some(other), Ok(_) | Err(Problem::Refused(_))) = (surroundings.other_cutlass, &answer)
        && matches!(name, "CollectiveBuilder" | "GemmUniversal")
    {
        return Some(Err(Problem::Unknown(Reason::OtherVersion(
            other.0, other.1,
        ))));
    }
    Some(answer)
}

fn stage_type(count: StageCount) -> Value {
    Collective::Stages(count).into_type()
}

fn stages(args: &[Value]) -> Result<i64, Problem> {
    let [count] = args else {
        return Err(unsuitable("one constant"));
    };
    number(&argument(count)?).ok_or_else(|| unsuitable("a known constant"))
}

/// `StageCountAutoCarveoutEpi<Epilogue>`: the bytes that the epilogue needs beside the mainloop.
fn carveout_of_epilogue(args: &[Value]) -> Evaluated {
    let [epilogue] = args else {
        return Err(unsuitable("an epilogue"));
    };
    match &*collective(epilogue)? {
        Collective::Epilogue(epilogue) => Ok(stage_type(StageCount::Auto {
            carveout: epilogue.carveout_bytes(),
        })),
        _ => Err(unsuitable("an epilogue")),
    }
}

fn unsuitable(takes: &'static str) -> Problem {
    Problem::Unknown(Reason::Unsuitable("CollectiveBuilder".into(), takes))
}

fn not_modelled(what: impl Into<Arc<str>>) -> Problem {
    Problem::Unknown(Reason::NotEvaluated(what.into()))
}

/// The collective that an argument is the type of.
fn collective(value: &Value) -> Result<Arc<Collective>, Problem> {
    match argument(value)? {
        Value::Collective(collective) => Ok(collective),
        Value::Type(ty) => Err(not_modelled(ty.to_string())),
        _ => Err(unsuitable("the choice of a builder")),
    }
}

/// The name of a tag: of the vocabulary, or of a class of the source without arguments.
fn tag(value: &Value) -> Result<Arc<str>, Problem> {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Named(name) => Ok(name.rsplit("::").next().unwrap_or(name).into()),
            Type::Record(record) => Ok(Arc::clone(&record.name)),
            Type::Unknown(reason) => Err(undeclared(reason)),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            other => Err(not_modelled(other.to_string())),
        },
        Value::Unknown(reason) => Err(undeclared(reason)),
        _ => Err(unsuitable("a tag")),
    }
}

/// A tag of CUTLASS's without rules here has no visible declaration, but this reason would not help a reader.
fn undeclared(reason: &Reason) -> Problem {
    match reason {
        Reason::Undeclared(name) => not_modelled(Arc::clone(name)),
        other => Problem::Unknown(other.clone()),
    }
}

fn named<T>(value: &Value, of: impl Fn(&str) -> Option<T>) -> Result<T, Problem> {
    let name = tag(value)?;
    of(&name).ok_or_else(|| not_modelled(name))
}

fn element(value: &Value) -> Result<Element, Problem> {
    match value {
        Value::Type(ty) => match &**ty {
            Type::Scalar(scalar) => {
                Element::named(scalar.name).map_err(|_| not_modelled(scalar.name))
            }
            Type::Named(name) => {
                Element::named(name).map_err(|_| not_modelled(Arc::clone(name.text())))
            }
            Type::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
            Type::Parameter(name) => Err(Problem::Unknown(Reason::Unbound(name.clone()))),
            other => Err(not_modelled(other.to_string())),
        },
        Value::Unknown(reason) => Err(Problem::Unknown(reason.clone())),
        _ => Err(unsuitable("an element type")),
    }
}

/// `void` is not an element.
fn element_or_void(value: &Value) -> Result<Option<Element>, Problem> {
    if let Value::Type(ty) = value
        && let Type::Scalar(scalar) = &**ty
        && scalar.class == ScalarClass::Void
    {
        return Ok(None);
    }
    element(value).map(Some)
}

/// A tag of `cutlass::layout`, or strides one of which is 1. `rows_first`: the strides are those of rows, then of columns,
/// as for A, C and D; those of B are of N, then of K.
fn order(value: &Value, rows_first: bool) -> Result<MemoryOrder, Problem> {
    let of_strides = |items: &[Value]| {
        let is_one = |index: usize| {
            items
                .get(index)
                .and_then(Value::as_int)
                .and_then(cute_algebra::Int::as_static)
                == Some(1)
        };
        match (is_one(0), is_one(1)) {
            (false, true) if rows_first => Some(MemoryOrder::Row),
            (true, false) if rows_first => Some(MemoryOrder::Column),
            (false, true) => Some(MemoryOrder::Column),
            (true, false) => Some(MemoryOrder::Row),
            _ => None,
        }
    };
    if let Value::Type(ty) = value
        && let Type::Of(strides) = &**ty
    {
        return match &**strides {
            Value::Tuple(items) => {
                of_strides(items).ok_or_else(|| unsuitable("strides one of which is 1"))
            }
            other => Err(not_modelled(other.to_string())),
        };
    }
    named(value, |name| match name {
        "RowMajor" => Some(MemoryOrder::Row),
        "ColumnMajor" => Some(MemoryOrder::Column),
        _ => None,
    })
}

fn constant(value: &Value) -> Result<i64, Problem> {
    number(&argument(value)?).ok_or_else(|| unsuitable("a known constant"))
}

/// The extents of a shape; `None` for one known only at run time.
fn extents<const N: usize>(value: &Value) -> Result<[Option<i64>; N], Problem> {
    let takes = || unsuitable("a flat shape");
    let Value::Tuple(items) = argument(value)? else {
        return Err(takes());
    };
    let extents: Option<Vec<Option<i64>>> = items
        .iter()
        .map(|item| item.as_int().map(cute_algebra::Int::as_static))
        .collect();
    extents
        .and_then(|extents| extents.try_into().ok())
        .ok_or_else(takes)
}

fn known_extents<const N: usize>(value: &Value) -> Result<[i64; N], Problem> {
    let extents = extents::<N>(value)?;
    let mut known = [0; N];
    for (known, extent) in known.iter_mut().zip(extents) {
        *known = extent.ok_or_else(|| unsuitable("a shape of constants"))?;
    }
    Ok(known)
}

fn cluster(value: &Value) -> Result<Option<[i64; 3]>, Problem> {
    Ok(match extents::<3>(value)? {
        [Some(m), Some(n), Some(k)] => Some([m, n, k]),
        _ => None,
    })
}

/// The number of arguments and the position of the tile tell which builder it is.
fn builder(args: &[Value], surroundings: Surroundings) -> Evaluated {
    match args {
        [
            arch,
            class,
            a,
            la,
            aa,
            b,
            lb,
            ab,
            acc,
            tile,
            over,
            count,
            schedule,
        ] => {
            let operand = |element_of: &Value, order_of: &Value, alignment: &Value, rows_first| {
                Ok::<_, Problem>(OperandRequest {
                    element: element(element_of)?,
                    order: order(order_of, rows_first)?,
                    alignment: constant(alignment)?,
                })
            };
            let target = target(arch, class)?;
            let request = MainloopRequest {
                target,
                a: operand(a, la, aa, true)?,
                b: operand(b, lb, ab, false)?,
                accumulator: element(acc)?,
                tile: known_extents(tile)?,
                cluster: cluster(over)?,
                stages: stage_count(count)?,
                schedule: named(schedule, KernelSchedule::named)?,
                extended_shapes: surroundings.extended_wgmma,
            };
            mainloop(&request)
        }
        [
            arch,
            class,
            tile,
            over,
            part,
            acc,
            _compute,
            c,
            lc,
            ac,
            d,
            ld,
            ad,
            schedule,
            rest @ ..,
        ] if rest.len() <= 1 && is_shape(tile) => {
            let target = target(arch, class)?;
            let c = match element_or_void(c)? {
                None => None,
                Some(element) => Some(OutputRequest {
                    element,
                    order: order(lc, true)?,
                    alignment: constant(ac)?,
                }),
            };
            let request = EpilogueRequest {
                target,
                tile: known_extents(tile)?,
                cluster: cluster(over)?,
                epilogue_tile: match tag(part).as_deref() {
                    Ok("EpilogueTileAuto") => None,
                    _ => Some(known_extents(part)?),
                },
                accumulator: element(acc)?,
                c,
                d: OutputRequest {
                    element: element_or_void(d)?
                        .ok_or_else(|| not_modelled("an epilogue without output D"))?,
                    order: order(ld, true)?,
                    alignment: constant(ad)?,
                },
                schedule: named(schedule, EpilogueSchedule::named)?,
                fusion: match rest.first() {
                    None => Fusion::default(),
                    Some(fusion) => match &*collective(fusion).map_err(renamed)? {
                        Collective::Fusion(fusion) => *fusion,
                        _ => return Err(unsuitable("a fusion")),
                    },
                },
            };
            Epilogue::build(&request)
                .map(|epilogue| Collective::EpilogueBuilder(Arc::new(epilogue)).into_type())
                .map_err(refused)
        }
        _ => Err(not_modelled("this `CollectiveBuilder`")),
    }
}

fn renamed(problem: Problem) -> Problem {
    match problem {
        Problem::Unknown(reason) => undeclared(&reason),
        other => other,
    }
}

fn is_shape(value: &Value) -> bool {
    matches!(argument(value), Ok(Value::Tuple(_)))
}

fn target(arch: &Value, class: &Value) -> Result<Target, Problem> {
    let target = named(arch, Target::named)?;
    named(class, |name| (name == "OpClassTensorOp").then_some(()))?;
    Ok(target)
}

fn stage_count(value: &Value) -> Result<StageCount, Problem> {
    match argument(value)? {
        Value::Collective(collective) => match &*collective {
            Collective::Stages(count) => Ok(*count),
            _ => Err(unsuitable("a stage count")),
        },
        value => number(&value)
            .map(StageCount::Fixed)
            .ok_or_else(|| unsuitable("a stage count")),
    }
}

/// The mainloop; of one that no kernel takes, said at the builder.
fn mainloop(request: &MainloopRequest) -> Evaluated {
    let mainloop = built::mainloop(request).map_err(refused)?;
    let assertion = GemmKernel::launch_assertion_of(&mainloop);
    let built = Collective::MainloopBuilder(mainloop).into_type();
    match assertion {
        None => Ok(built),
        Some(refusal) => Err(said(refusal, built)),
    }
}

/// A finding beside a value.
fn said(refusal: Refusal, result: Value) -> Problem {
    Problem::Refused(Box::new(Remark {
        result: Some(result),
        ..Remark::of_hardware(refusal)
    }))
}

/// An assertion of the builder is a finding; a case without rules here is unknown.
fn refused(reason: NotBuilt) -> Problem {
    match reason {
        NotBuilt::Refused(refusal)
            if matches!(
                refusal.rule,
                Rule::CollectiveTile | Rule::CollectiveStages | Rule::CollectiveUnsupported
            ) =>
        {
            Problem::Refused(Box::new(Remark::of_hardware(refusal)))
        }
        NotBuilt::Refused(refusal) => {
            Problem::Unknown(Reason::refused(refusal.rule.name(), &refusal))
        }
        NotBuilt::NotModelled(what) => not_modelled(what),
    }
}

/// `GemmUniversal<problem, mainloop, epilogue, scheduler>`.
fn kernel(args: &[Value]) -> Evaluated {
    let [_, mainloop, epilogue, rest @ ..] = args else {
        return Err(not_modelled("this `GemmUniversal`"));
    };
    let (mainloop, epilogue) = (collective(mainloop)?, collective(epilogue)?);
    let (Collective::Mainloop(mainloop), Collective::Epilogue(epilogue)) = (&*mainloop, &*epilogue)
    else {
        return Err(not_modelled("this `GemmUniversal`"));
    };
    let scheduler = match rest {
        [] => TileScheduler::Default,
        [Value::Type(ty), ..] if matches!(&**ty, Type::Scalar(scalar) if scalar.class == ScalarClass::Void) => {
            TileScheduler::Default
        }
        [scheduler, ..] => named(scheduler, TileScheduler::named)?,
    };
    let kernel = GemmKernel::build(mainloop, epilogue, scheduler).map_err(refused)?;
    let finding = kernel
        .class_assertion
        .clone()
        .or_else(|| kernel.exceeds(mainloop, epilogue));
    let built = Collective::Kernel(Arc::new(Gemm {
        mainloop: Arc::clone(mainloop),
        epilogue: Arc::clone(epilogue),
        kernel,
    }))
    .into_type();
    match finding {
        None => Ok(built),
        Some(refusal) => Err(said(refusal, built)),
    }
}

fn adapter(args: &[Value]) -> Evaluated {
    let [kernel] = args else {
        return Err(unsuitable("a kernel"));
    };
    match &*collective(kernel)? {
        Collective::Kernel(gemm) => Ok(Collective::Adapter(Arc::clone(gemm)).into_type()),
        _ => Err(unsuitable("a kernel")),
    }
}

/// Shared memory of a fusion, by the positions of its arguments.
#[derive(Clone, Copy)]
enum Kept {
    /// Nothing: a linear combination.
    Linear,
    /// Nothing.
    Nothing,
    /// A vector over the columns, of the type at a position or, where that is not given, at another one.
    Vector(usize, usize),
    /// A matrix that is written: the position of its type, of the type that it has else; its order comes first.
    Matrix(usize, usize),
    /// A tree of visitors.
    Visitors,
}

/// The fusions of `cutlass::epilogue::fusion` (operations.hpp) and the visitors that keep nothing.
fn fusion_of(name: &str) -> Option<Kept> {
    Some(match name {
        "LinearCombination" => Kept::Linear,
        "ScaledAcc"
        | "LinCombEltAct"
        | "LinCombTopKSoftmaxCol"
        | "LinCombPerRowBias"
        | "LinCombPerRowBiasEltAct"
        | "PerRowLinCombPerRowBiasEltAct"
        | "ScaledLinCombPerRowBiasEltAct" => Kept::Nothing,
        "LinCombPerColBias" => Kept::Vector(2, 0),
        "LinCombPerColBiasEltAct" => Kept::Vector(3, 1),
        "LinCombPerRowBiasEltActAux" | "ScaledLinCombPerRowBiasEltActAmaxAux" => Kept::Matrix(4, 2),
        "Sm90EVT"
        | "Sm90TreeVisitor"
        | "Sm90Compute"
        | "Sm90ScalarBroadcast"
        | "Sm90SrcFetch"
        | "Sm90AccFetch" => Kept::Visitors,
        _ => return None,
    })
}

fn visitors() -> Fusion {
    Fusion {
        kind: FusionKind::Visitors,
        ..Fusion::default()
    }
}

fn fused(kept: Kept, name: &str, args: &[Value]) -> Evaluated {
    let at = |index: usize, otherwise: usize| {
        args.get(index)
            .or_else(|| args.get(otherwise))
            .ok_or_else(|| unsuitable("a fusion with its types"))
            .and_then(element)
    };
    let operation = Fusion {
        kind: FusionKind::Operation,
        ..Fusion::default()
    };
    let fusion = match kept {
        Kept::Linear => Fusion::default(),
        Kept::Nothing => operation,
        Kept::Vector(index, otherwise) => Fusion {
            column_vector: Some(at(index, otherwise)?),
            ..operation
        },
        Kept::Matrix(index, otherwise) => {
            let element = at(index, otherwise)?;
            let tag = args
                .first()
                .ok_or_else(|| unsuitable("a fusion with its types"))?;
            Fusion {
                auxiliary: Some(OutputRequest {
                    element,
                    order: order(tag, true)?,
                    alignment: (128 / element.bits()).max(1),
                }),
                ..operation
            }
        }
        Kept::Visitors => {
            // The one is an alias of the other.
            if matches!(name, "Sm90EVT" | "Sm90TreeVisitor") {
                for node in args {
                    match &*collective(node).map_err(renamed)? {
                        Collective::Fusion(_) => {}
                        _ => return Err(unsuitable("visitors")),
                    }
                }
            }
            visitors()
        }
    };
    Ok(Collective::Fusion(fusion).into_type())
}
