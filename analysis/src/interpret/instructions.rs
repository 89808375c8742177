//! Instructions as the templates that they are: the arguments that a name such as
//! `SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::K>` carries.

use std::sync::Arc;

use cute_algebra::Int;
use cute_hardware::{Argument, MmaAtom, TemplateId, TiledMma};

use crate::reason::Reason;
use crate::types::{Scalar, Type};
use crate::value::Value;

/// The arguments of `TiledMMA<Atom, AtomLayout, Permutations>`.
pub(super) fn parts_of_tiled_mma(mma: &TiledMma) -> Vec<Value> {
    let permutations = mma
        .stated_permutations()
        .iter()
        .map(Value::of_tiler)
        .collect();
    vec![
        Value::MmaAtom(Arc::new(mma.atom().clone())),
        mma.atom_layout().clone().into(),
        Value::Tuple(permutations),
    ]
}

/// The argument of `MMA_Atom<..>`: an operation, or its traits with the parts that the operation does not carry itself.
pub(super) fn parts_of_mma_atom(atom: &MmaAtom) -> Vec<Value> {
    let name = match TemplateId::parse_list(&atom.name).as_deref() {
        Ok([_]) => atom.name.clone(),
        Ok([_, ..]) => format!("MMA_Traits<{}>", atom.name),
        _ => {
            return vec![Value::Unknown(Reason::Construct("the name of this atom"))];
        }
    };
    vec![Value::Type(Box::new(Type::Named(name.into())))]
}

/// The arguments of an instruction, or of a class of the hardware's that is known by name, if it is one of this
/// template; those that it leaves out have their defaults.
pub(super) fn parts_of_instruction(template: &str, spelled: &str) -> Option<Vec<Value>> {
    let id = TemplateId::parse(spelled).ok()?;
    if id.base() != template || id.args().is_empty() {
        return None;
    }
    let mut parts: Vec<Value> = id.args().iter().map(of_argument).collect();
    let defaults = defaults(template, parts.len());
    parts.extend(
        defaults
            .iter()
            .map(|name| Value::Type(Box::new(Type::Named((*name).into())))),
    );
    Some(parts)
}

/// Whether a name can be this instruction, or these traits of one: any name that is not of an instruction may be an
/// alias.
pub(super) fn may_name(name: &str, spelled: &str) -> bool {
    let is_canonical = |name: &str| {
        name == "MMA_Traits"
            || name
                .strip_prefix("SM")
                .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    match TemplateId::parse(spelled) {
        Ok(id) if is_canonical(name) && is_canonical(id.base()) => id.base() == name,
        _ => true,
    }
}

/// The template of an instruction's name, without its arguments, and the arguments.
pub(super) fn template_of_instruction(spelled: &str) -> Option<(String, Vec<Value>)> {
    let id = TemplateId::parse(spelled).ok()?;
    let parts = parts_of_instruction(id.base(), spelled)?;
    Some((id.path().join("::"), parts))
}

/// The defaults behind the first `given` arguments of the instructions that have any: `mma_sm90_gmma.hpp` and
/// `mma_sm100_umma.hpp`.
fn defaults(template: &str, given: usize) -> &'static [&'static str] {
    const STATED: usize = 7;
    const MAJORS: usize = 2;
    const WARP_GROUP_SCALES: &[&str] = &["GMMA::ScaleIn::One", "GMMA::ScaleIn::One"];
    const SCALES: &[&str] = &["UMMA::ScaleIn::One", "UMMA::ScaleIn::One"];
    const SCALES_AND_SATURATE: &[&str] = &[
        "UMMA::ScaleIn::One",
        "UMMA::ScaleIn::One",
        "UMMA::Saturate::False",
    ];
    if template.starts_with("SM90_64x") && !template.ends_with("_TN") && given >= MAJORS {
        return WARP_GROUP_SCALES.get(given - MAJORS..).unwrap_or_default();
    }
    let all = match template {
        "SM100_MMA_TF32_SS"
        | "SM100_MMA_F16BF16_SS"
        | "SM100_MMA_TF32_2x1SM_SS"
        | "SM100_MMA_F16BF16_2x1SM_SS" => SCALES,
        "SM100_MMA_TF32_TS"
        | "SM100_MMA_F16BF16_TS"
        | "SM100_MMA_TF32_2x1SM_TS"
        | "SM100_MMA_F16BF16_2x1SM_TS" => SCALES_AND_SATURATE,
        _ => return &[],
    };
    given
        .checked_sub(STATED)
        .and_then(|beyond| all.get(beyond..))
        .unwrap_or_default()
}

fn of_argument(argument: &Argument) -> Value {
    let id = match argument {
        Argument::Integer(number) => return Value::Int(Int::dynamic(*number)),
        Argument::Name(id) => id,
    };
    let is_constant = matches!(id.base(), "C" | "Int" | "constant" | "integral_constant")
        || id.base().starts_with('_');
    let ty = match (argument.value(), Scalar::of_spelling(id.base())) {
        (Some(number), _) if is_constant => Type::Of(Box::new(Value::Int(Int::fixed(number)))),
        (_, Some(scalar)) if id.args().is_empty() => Type::Scalar(scalar),
        _ => Type::Named(id.to_string().into()),
    };
    Value::Type(Box::new(ty))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_instruction_has_its_arguments_and_their_defaults() {
        let name =
            "SM100_MMA_F16BF16_SS<half_t, half_t, float, 128, 64, UMMA::Major::K, UMMA::Major::MN>";
        let parts = parts_of_instruction("SM100_MMA_F16BF16_SS", name).unwrap_or_default();
        let shown: Vec<String> = parts.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "half_t",
                "half_t",
                "float",
                "128",
                "64",
                "UMMA::Major::K",
                "UMMA::Major::MN",
                "UMMA::ScaleIn::One",
                "UMMA::ScaleIn::One"
            ]
        );
        assert_eq!(parts_of_instruction("SM100_MMA_TF32_SS", name), None);
    }

    #[test]
    fn another_instruction_is_not_meant() {
        assert!(!may_name(
            "SM100_MMA_F8F6F4_SS",
            "SM100_MMA_F16BF16_SS<half_t>"
        ));
        assert!(!may_name(
            "SM100_MMA_F16BF16_SS",
            "MMA_Traits<SM100_MMA_F8F6F4_SS, float_e4m3_t>"
        ));
        assert!(may_name("MyOperation", "SM100_MMA_F16BF16_SS<half_t>"));
    }
}
