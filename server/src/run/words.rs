//! An experiment as the arguments of `run`, so that another process of this program asks the same.

use cute_hardware::SharedLayout;
use cute_hardware::descriptor::Generation;
use cute_runner::experiment::Experiment;
use cute_runner::product::{Inputs, Role};

/// The arguments behind `run`.
pub fn of(experiment: &Experiment) -> Vec<String> {
    let words = |words: &[&str]| words.iter().map(ToString::to_string).collect();
    match experiment {
        Experiment::Offsets(plan) => {
            let mut list = vec![plan.layout().to_string()];
            if let Some(most) = plan.most() {
                list.extend(["--samples".to_owned(), most.to_string()]);
            }
            list
        }
        Experiment::Copy(copy) => words(&[
            &copy.source().to_string(),
            "--copy-to",
            &copy.destination().to_string(),
            "--element-bits",
            &copy.element_bits().to_string(),
        ]),
        Experiment::Banks(access) => words(&[
            &access.layout().to_string(),
            "--experiment",
            "banks",
            "--element-bits",
            &access.element_bits().to_string(),
        ]),
        Experiment::Tma(load) => words(&[
            &load.shared().to_string(),
            "--experiment",
            "tma",
            "--tensor",
            &load.tensor().to_string(),
        ]),
        Experiment::Fragments(fragments) => words(&[
            &fragments.shared().to_string(),
            "--experiment",
            fragments.direction().instruction(),
        ]),
        Experiment::Product(product) => {
            let [a, b] = product.tiles().map(SharedLayout::to_string);
            let instruction = match product.generation() {
                Generation::Wgmma => "wgmma",
                Generation::Tcgen05 => "tcgen05",
            };
            let asked = ["--experiment", instruction];
            match product.inputs() {
                Inputs::Identity(Role::A) => words(&[&a, asked[0], asked[1]]),
                Inputs::Identity(Role::B) => words(&[&b, asked[0], asked[1], "--operand", "b"]),
                Inputs::Random(seed) => words(&[
                    &a,
                    asked[0],
                    asked[1],
                    "--times",
                    &b,
                    "--seed",
                    &seed.to_string(),
                ]),
            }
        }
        Experiment::Gemm(gemm) => {
            let [a, b, c] = gemm.layouts().each_ref().map(ToString::to_string);
            words(&[
                &a,
                "--times",
                &b,
                "--into",
                &c,
                "--seed",
                &gemm.seed().to_string(),
            ])
        }
    }
}
