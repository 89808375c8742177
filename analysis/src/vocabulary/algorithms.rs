//! `copy` and `gemm`: they return nothing, but their operands have to fit together.

use cute_hardware::copy::transfer::{self, Side};
use cute_hardware::mma::product::{self, Operands};
use cute_hardware::{MmaAtom, ValueCopyAtom};

use super::tiled::is_certain;
use super::{Call, Evaluated, Function, Header, Makes, Remark, lenient, python_words};
use crate::finding::Severity;
use crate::tensor::{Space, Tensor};
use crate::trace::ActionKind;
use crate::value::Value;

/// `copy([atom,] source, destination)`. Overloads with other arguments are not CuTe's.
#[allow(
    clippy::unnecessary_wraps,
    reason = "every function of the vocabulary answers so"
)]
fn copy(call: &Call<'_>) -> Evaluated {
    match call.args {
        [Value::Tensor(source), Value::Tensor(destination)] => {
            judge_copy(call, None, [source, destination], 1);
        }
        [policy, Value::Tensor(source), Value::Tensor(destination)] => {
            if let Some(atom) = copy_atom(policy) {
                judge_copy(call, Some(atom), [source, destination], 2);
            }
        }
        _ => {}
    }
    Ok(Value::Nothing)
}

/// `copy_if([atom,] predicate, source, destination)`.
#[allow(
    clippy::unnecessary_wraps,
    reason = "every function of the vocabulary answers so"
)]
fn copy_if(call: &Call<'_>) -> Evaluated {
    match call.args {
        [policy, _, Value::Tensor(source), Value::Tensor(destination)] => {
            if let Some(atom) = copy_atom(policy) {
                judge_copy(call, Some(atom), [source, destination], 3);
            }
        }
        [_, Value::Tensor(source), Value::Tensor(destination)] => {
            judge_copy(call, None, [source, destination], 2);
        }
        _ => {}
    }
    Ok(Value::Nothing)
}

fn copy_atom(policy: &Value) -> Option<&ValueCopyAtom> {
    match policy {
        Value::CopyAtom(atom) => Some(atom),
        Value::TiledCopy(copy) => Some(copy.atom()),
        _ => None,
    }
}

fn judge_copy(
    call: &Call<'_>,
    atom: Option<&ValueCopyAtom>,
    [source, destination]: [&Tensor; 2],
    operand: usize,
) {
    if let Some(refusal) = atom.and_then(|atom| atom.atom.not_issuable.as_ref())
        && is_certain(refusal)
    {
        let mut remark = Remark::of_hardware(refusal.clone());
        remark.operand = Some(0);
        call.remark(remark);
        return;
    }
    let fits = match atom {
        Some(atom) => transfer::with_atom(atom, side(source), side(destination)),
        None => transfer::elementwise(&source.layout, &destination.layout),
    };
    if let Err(refusal) = fits {
        let mut remark = Remark::of_hardware(refusal);
        remark.operand = Some(operand);
        call.remark(remark);
    }
}

fn side(tensor: &Tensor) -> Side<'_> {
    Side {
        layout: &tensor.layout,
        element_bits: tensor.engine.bits().map(i64::from),
    }
}

/// `gemm([mma,] [D,] A, B, C)`.
#[allow(
    clippy::unnecessary_wraps,
    reason = "every function of the vocabulary answers so"
)]
fn gemm(call: &Call<'_>) -> Evaluated {
    let (atom, operands) = match call.args {
        [Value::TiledMma(mma), rest @ ..] => (Some(mma.atom()), rest),
        [Value::MmaAtom(atom), rest @ ..] => (Some(&**atom), rest),
        all => (None, all),
    };
    let tensors: Option<Vec<&Tensor>> = operands
        .iter()
        .map(|operand| match operand {
            Value::Tensor(tensor) => Some(&**tensor),
            _ => None,
        })
        .collect();
    match tensors.as_deref() {
        Some([a, b, c]) => judge_product(call, atom, [c, a, b, c]),
        Some([d, a, b, c]) => judge_product(call, atom, [d, a, b, c]),
        _ => {}
    }
    Ok(Value::Nothing)
}

fn judge_product(call: &Call<'_>, atom: Option<&MmaAtom>, [d, a, b, c]: [&Tensor; 4]) {
    // Other spaces have other overloads.
    let is_local = |tensor: &&Tensor| !matches!(tensor.engine.space, Space::Shared | Space::Global);
    if ![d, a, b, c].iter().all(is_local) {
        return;
    }
    if let Some(refusal) = atom.and_then(|atom| atom.not_issuable.as_ref())
        && is_certain(refusal)
    {
        call.remark(Remark::of_hardware(refusal.clone()));
        return;
    }
    let bits = |tensor: &Tensor| match tensor.engine.space {
        Space::Registers => tensor.engine.bits().map(i64::from),
        _ => None,
    };
    let operands = Operands {
        d: d.layout.domain(),
        a: a.layout.domain(),
        b: b.layout.domain(),
        c: c.layout.domain(),
        element_bits: [bits(a), bits(b), bits(c)],
    };
    if let Err(refusal) = product::fit(atom, &operands) {
        call.remark(Remark {
            severity: Severity::Error,
            ..Remark::of_hardware(refusal)
        });
    }
}

pub(super) const FUNCTIONS: &[Function] = &[
    lenient(
        "copy",
        "void copy(copy, source, destination)",
        "copies element by element; both have the same size",
        copy,
    )
    .takes(&["copy", "source", "destination"])
    .section("§2.6.1")
    .header(Header::Cute("algorithm/copy.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::Copy)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "copy",
        "atom src= dst= *rest **named",
    )]),
    lenient(
        "copy_if",
        "void copy_if(Pred, Tensor src, Tensor dst)",
        "copies where a predicate holds",
        copy_if,
    )
    .takes(&["Pred", "src", "dst"])
    .header(Header::Cute("algorithm/copy.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::CopyWhere),
    lenient(
        "gemm",
        "void gemm(mma, A, B, C)",
        "C += A * B: A is (V,M,K), B (V,N,K), C (V,M,N), or fewer of these modes",
        gemm,
    )
    .takes(&["mma", "A", "B", "C"])
    .section("§2.6.2")
    .header(Header::Cute("algorithm/gemm.hpp"))
    .makes(Makes::Nothing)
    .does(ActionKind::Gemm)
    .python(&[python_words::on_objects(
        "cutlass.cute",
        "gemm",
        "atom d= a= b= c= *rest **named",
    )]),
];
