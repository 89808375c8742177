//! The layouts that are executed: random ones, some with sizes that only a launch knows, and those of the golden data.

use std::collections::BTreeMap;
use std::path::Path;

use cute_algebra::{AnyLayout, Int};
use cute_hardware::address::Program;
use proptest::prelude::*;

/// A layout as a kernel is made of it, and with the numbers of a launch.
#[derive(Debug, Clone)]
pub(crate) struct Sized {
    pub(crate) symbolic: AnyLayout,
    pub(crate) known: AnyLayout,
    /// Values at the launch of unknown extents and strides.
    pub(crate) meanings: BTreeMap<String, i64>,
}

impl Sized {
    /// A layout of which all is known.
    pub(crate) fn fixed(layout: AnyLayout) -> Self {
        Self {
            symbolic: layout.clone(),
            known: layout,
            meanings: BTreeMap::new(),
        }
    }

    /// A layout of modes: extent, stride, whether they are known at a launch only.
    pub(crate) fn of_modes(modes: &[(i64, i64, bool)]) -> Self {
        let lists = |is_known: bool| {
            let leaf = |name: String, value: i64, at_launch: bool| {
                if at_launch && !is_known {
                    name
                } else {
                    format!("_{value}")
                }
            };
            let places = modes.iter().enumerate();
            let (shape, stride): (Vec<String>, Vec<String>) = places
                .map(|(at, (extent, stride, at_launch))| {
                    (
                        leaf(format!("n{at}"), *extent, *at_launch),
                        leaf(format!("d{at}"), *stride, *at_launch),
                    )
                })
                .unzip();
            format!("({}):({})", shape.join(","), stride.join(","))
        };
        let places = modes.iter().enumerate();
        Self {
            symbolic: lists(false).parse().unwrap(),
            known: lists(true).parse().unwrap(),
            meanings: places
                .flat_map(|(at, (extent, stride, _))| {
                    [(format!("n{at}"), *extent), (format!("d{at}"), *stride)]
                })
                .collect(),
        }
    }

    /// The parameters of a program of the layout.
    pub(crate) fn values(&self, program: &Program) -> Vec<i64> {
        let meaning = |name: &Int| match self.meanings.get(&name.to_string()) {
            Some(value) => *value,
            None => panic!("{name} of {}", self.symbolic),
        };
        program.parameters().iter().map(meaning).collect()
    }
}

/// Up to four modes, one of them nested, negative strides and swizzles; extents and strides may be parameters.
pub(crate) fn sized() -> impl Strategy<Value = Sized> {
    let modes = prop::collection::vec((1_i64..9, -30_i64..70, any::<bool>()), 1..5);
    let swizzle = prop::option::of((0_i64..4, 0_i64..4, 0_i64..3));
    (modes, swizzle, any::<bool>(), 0_i64..3).prop_map(
        |(modes, swizzle, has_parameters, nested)| {
            let write = |is_known: bool| -> AnyLayout {
                let leaf = |name: String, value: i64, at_launch: bool| {
                    if at_launch && has_parameters && !is_known {
                        name
                    } else {
                        format!("_{value}")
                    }
                };
                // A swizzle takes bits of a number that is not negative.
                let stride_of = |stride: i64| {
                    if swizzle.is_some() {
                        stride.abs()
                    } else {
                        stride
                    }
                };
                let mut shape: Vec<String> = Vec::new();
                let mut stride: Vec<String> = Vec::new();
                for (at, (extent, step, at_launch)) in modes.iter().enumerate() {
                    shape.push(leaf(format!("n{at}"), *extent, *at_launch));
                    stride.push(leaf(format!("d{at}"), stride_of(*step), *at_launch));
                }
                let nest = |list: &mut Vec<String>| {
                    let kept = list.len().saturating_sub(nested as usize).max(1);
                    if kept < list.len() {
                        let inner = list.split_off(kept - 1).join(",");
                        list.push(format!("({inner})"));
                    }
                    list.join(",")
                };
                let layout = format!("({}):({})", nest(&mut shape), nest(&mut stride));
                match swizzle {
                    Some((bits, base, more)) => {
                        format!("Sw<{bits},{base},{}> o _0 o {layout}", bits + more)
                    }
                    None => layout,
                }
                .parse()
                .unwrap()
            };
            let is_swizzled = swizzle.is_some();
            let meanings = modes
                .iter()
                .enumerate()
                .flat_map(|(at, (extent, stride, _))| {
                    let stride = if is_swizzled { stride.abs() } else { *stride };
                    [(format!("n{at}"), *extent), (format!("d{at}"), stride)]
                })
                .collect();
            Sized {
                symbolic: write(false),
                known: write(true),
                meanings,
            }
        },
    )
}

/// The most coordinates of a golden layout that is executed.
const COORDINATES: i64 = 512;
/// Number of golden layouts that are executed, spread over all of them.
const GOLDEN: usize = 600;

/// Layouts of the golden data: results of CuTe, each once, whose offsets are numbers.
pub(crate) fn golden() -> Vec<AnyLayout> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden");
    let mut found: BTreeMap<String, AnyLayout> = BTreeMap::new();
    for file in [
        "algebra-open.jsonl",
        "swizzle_atoms-open.jsonl",
        "tutorials-open.jsonl",
        "tiled-open.jsonl",
    ] {
        let text = std::fs::read_to_string(folder.join(file)).unwrap();
        for line in text.lines() {
            collect(&serde_json::from_str(line).unwrap(), &mut found);
        }
    }
    let all = found.len();
    let (swizzled, plain): (Vec<_>, Vec<_>) = found
        .into_values()
        .partition(|layout| layout.to_string().contains("Sw<"));
    let step = (all / GOLDEN).max(1);
    swizzled
        .into_iter()
        .take(GOLDEN / 4)
        .chain(plain.into_iter().step_by(step))
        .collect()
}

fn collect(value: &serde_json::Value, found: &mut BTreeMap<String, AnyLayout>) {
    match value {
        serde_json::Value::String(text) => {
            if let Some(layout) = usable(text) {
                found.insert(layout.to_string(), layout);
            }
        }
        serde_json::Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        serde_json::Value::Object(fields) => {
            fields.values().for_each(|field| collect(field, found));
        }
        _ => {}
    }
}

fn usable(text: &str) -> Option<AnyLayout> {
    let layout: AnyLayout = text.contains(':').then(|| text.parse().ok())??;
    let size = layout.size().ok()?.value()?;
    if !(2..=COORDINATES).contains(&size) {
        return None;
    }
    let program = Program::of_index(&layout).ok()?;
    Program::of_coordinates(&layout).ok()?;
    let is_number = layout
        .eval(0)
        .ok()?
        .as_leaf()
        .and_then(Int::value)
        .is_some();
    (is_number && program.parameters().is_empty()).then_some(layout)
}
