//! A plan run on the processor is the layout as a function, whatever the layout.

use cute_algebra::AnyLayout;
use cute_runner::{compare, cpu, plan::Plan, watch::Unwatched};
use proptest::prelude::*;

/// A layout of rank up to 4 with one nested mode, static, printed as CuTe prints it.
fn layouts() -> impl Strategy<Value = String> {
    let mode = (1_i64..5, -40_i64..70).prop_map(|(s, d)| (s.to_string(), d.to_string()));
    let nested = prop::collection::vec(mode.clone(), 1..4).prop_map(|modes| {
        let (shape, stride): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
        (
            format!("({})", shape.join(",")),
            format!("({})", stride.join(",")),
        )
    });
    let swizzle = prop::option::of((0_u32..4, 0_u32..4, 0_u32..3));
    (
        prop::collection::vec(prop_oneof![mode, nested], 1..4),
        swizzle,
    )
        .prop_map(|(modes, swizzle)| {
            let (shape, stride): (Vec<_>, Vec<_>) = modes.into_iter().unzip();
            let layout = format!("({}):({})", shape.join(","), stride.join(","));
            match swizzle {
                Some((bits, base, more)) if !layout.contains('-') => {
                    format!("Sw<{bits},{base},{}> o 0 o {layout}", bits + more)
                }
                _ => layout,
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn the_processor_computes_the_layout(text in layouts()) {
        let layout: AnyLayout = text.parse().unwrap();
        let plan = Plan::of_offsets(&layout).unwrap();
        let offsets = cpu::offsets(&plan, &Unwatched).unwrap();
        let comparison = compare::with_algebra(&plan, &offsets, &Unwatched).unwrap();
        prop_assert_eq!(comparison.difference, None, "{}", text);
        prop_assert_eq!(comparison.compared as i64, plan.size());
    }
}
