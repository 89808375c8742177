//! A text above a line that can be clicked.

use std::collections::BTreeSet;

use cute_analysis::{Analysis, Assumption, Nominal};

use super::instances::{self, Chosen, Instances, OpenTemplate};
use super::{abbreviation, cost, thread_strides};

/// A line above the code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lens {
    /// The byte of the source above whose line it is.
    pub byte: usize,
    /// Its text.
    pub title: String,
    /// The action of a click.
    pub action: Action,
}

/// The action of a click on a lens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Shows another instance of a function first; `None` the first one.
    SelectInstance {
        /// The function.
        function: String,
        /// The instance.
        instance: Option<String>,
    },
    /// Asks for an instance of a template that nothing instantiates.
    AddInstance(OpenTemplate),
    /// Evaluates the document with these sizes; none ends that.
    UseSizes(Vec<Assumption>),
    /// Says all that is known of the layout there.
    Explain,
    /// Draws the layout there.
    Picture,
}

/// The lenses of a source. `sizes` are those with which it was evaluated at the wish of its user.
pub fn lenses(analysis: &Analysis, chosen: &Chosen, sizes: &[Assumption]) -> Vec<Lens> {
    let mut lenses = Vec::new();
    for found in instances::of(analysis, chosen) {
        lenses.push(of_instances(&found));
    }
    lenses.extend(of_budgets(analysis, chosen));
    lenses.extend(without_instance(analysis));
    lenses.extend(of_sizes(analysis, sizes));
    lenses.extend(of_orders(analysis));
    lenses.sort_by_key(|lens| lens.byte);
    lenses
}

/// `gemm: instance 1/3: TA=half_t · kBlockM=128 · click for the next`.
fn of_instances(found: &Instances) -> Lens {
    let count = found.instances.len();
    let at = |index: usize| found.instances.get(index % count.max(1)).cloned();
    let label = found.labels.get(found.chosen).cloned().unwrap_or_default();
    Lens {
        byte: found.byte,
        title: format!(
            "{}: instance {}/{count}: {label} · click for the next",
            found.function,
            found.chosen + 1
        ),
        action: Action::SelectInstance {
            function: found.function.clone(),
            instance: at(found.chosen + 1),
        },
    }
}

/// The resources of each kernel, in the shown instance; a click shows its ledger.
fn of_budgets(analysis: &Analysis, chosen: &Chosen) -> Vec<Lens> {
    let kernels: BTreeSet<usize> = analysis
        .budgets
        .iter()
        .filter(|budget| budget.is_kernel)
        .map(|budget| budget.span.start)
        .collect();
    let lens = |byte| {
        let budgets = analysis.budgets_at(byte);
        let labels = budgets
            .iter()
            .map(|budget| (Some(budget.function.as_str()), budget.instance.as_deref()));
        let title = cost::ledger(budgets.get(chosen.first(labels))?)?;
        Some(Lens {
            byte,
            title,
            action: Action::Explain,
        })
    };
    kernels.into_iter().filter_map(lens).collect()
}

/// `add instance...` above a template that nothing visible instantiates.
fn without_instance(analysis: &Analysis) -> impl Iterator<Item = Lens> {
    let templates = instances::open_templates(analysis).into_iter();
    templates.map(|template| Lens {
        byte: template.byte,
        title: format!("{}: add instance...", template.function),
        action: Action::AddInstance(template),
    })
}

/// The most sizes that a lens names: it is one line.
const MOST_SIZES: usize = 4;

/// `evaluate with m = 5120, n = 5120`, where sizes are read from outside and start with a number; `show for thread 0:
/// d0 = 16` where strides depend on the thread.
fn of_sizes(analysis: &Analysis, sizes: &[Assumption]) -> Vec<Lens> {
    if !sizes.is_empty() {
        return vec![Lens {
            byte: 0,
            title: format!("evaluated with {} · back to names", listed(sizes)),
            action: Action::UseSizes(Vec::new()),
        }];
    }
    let (strides, sizes): (Vec<&Nominal>, Vec<&Nominal>) = analysis
        .nominals
        .iter()
        .partition(|nominal| thread_strides::is_one(analysis, nominal));
    let lenses = [("evaluate with ", sizes), ("show for thread 0: ", strides)];
    let lens = |(said, nominals): (&str, Vec<&Nominal>)| {
        let first = nominals.first()?.span.start;
        let starts = starts(&nominals);
        Some(Lens {
            byte: first,
            title: format!("{said}{}", listed(&starts)),
            action: Action::UseSizes(starts),
        })
    };
    lenses.into_iter().filter_map(lens).collect()
}

/// At most [`MOST_SIZES`] of them: `m = 512, n = 256`.
fn listed(sizes: &[Assumption]) -> String {
    let texts: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    match texts.split_at_checked(MOST_SIZES) {
        Some((shown, [_, ..])) => {
            let more = texts.len() - MOST_SIZES;
            format!("{} and {more} more", shown.join(", "))
        }
        _ => texts.join(", "),
    }
}

/// The numbers that names start with, each name once.
fn starts(nominals: &[&Nominal]) -> Vec<Assumption> {
    let mut starts: Vec<Assumption> = Vec::new();
    for nominal in nominals {
        let known = starts.iter().any(|known| known.name() == nominal.symbol);
        if !known {
            starts.push(Assumption::Equal {
                name: nominal.symbol.clone(),
                value: nominal.value,
            });
        }
    }
    starts
}

/// `layout 128x64` and `picture` above a layout that a directive orders to be run.
fn of_orders(analysis: &Analysis) -> Vec<Lens> {
    let mut lenses: Vec<Lens> = Vec::new();
    for order in &analysis.orders {
        for fact in analysis.facts_of_order(order) {
            let byte = fact.name_span.start;
            let Some(layout) = fact.value.as_any_layout() else {
                continue;
            };
            if lenses.iter().any(|lens| lens.byte == byte) {
                continue;
            }
            let sizes: Option<Vec<String>> = layout
                .shape()
                .modes()
                .map(|mode| Some(format!("{:#}", mode.size().ok()?)))
                .collect();
            let title = match sizes {
                Some(sizes) => format!("layout {}", sizes.join("x")),
                None => abbreviation::label(&fact.value, analysis.dialect),
            };
            for (title, action) in [
                (title, Action::Explain),
                ("picture".to_owned(), Action::Picture),
            ] {
                lenses.push(Lens {
                    byte,
                    title,
                    action,
                });
            }
        }
    }
    lenses
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Alone, Options, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    fn of(text: &str) -> Vec<String> {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
        let analysis = analyse(&file, &Alone, &Options::default());
        let lenses = lenses(&analysis, &Chosen::default(), &[]);
        lenses.into_iter().map(|lens| lens.title).collect()
    }

    #[test]
    fn instances_are_told_apart_by_their_template_arguments() {
        let shown = of("using namespace cute;\n\
            template <int kM, int kN> void tile() { auto t = make_layout(make_shape(Int<kM>{}, Int<kN>{})); }\n\
            void host() {\n  tile<128, 8>();\n  tile<64, 8>();\n}\n");
        assert_eq!(shown, ["tile: instance 1/2: kM=128 · click for the next"]);
    }

    #[test]
    fn a_template_without_an_instance_asks_for_one() {
        let shown = of("using namespace cute;\n\
            template <class Shape> void tile(Shape s) { auto t = make_layout(s); }\n");
        assert_eq!(shown, ["tile: add instance..."]);
    }

    #[test]
    fn a_kernel_says_what_it_takes() {
        let shown = of("using namespace cute;\n\
            __global__ void k(float* p) {\n  __shared__ float smem[1024];\n  \
            auto part = make_tensor<float>(Int<8>{});\n}\n\
            void host(float* p) { k<<<1, 256>>>(p); }\n");
        let expected = "smem 4 of 227 KiB · fragments 8 registers · 256 threads · \
            up to 8 CTAs/SM (limited by threads)";
        assert_eq!(shown, [expected]);
    }

    #[test]
    fn sizes_that_start_with_a_number_are_offered() {
        let shown = of("using namespace cute;\n\
            int main(int argc, char** argv) {\n  int m = 512;\n  sscanf(argv[1], \"%d\", &m);\n  \
            auto t = make_layout(make_shape(m, Int<8>{}));\n}\n");
        assert_eq!(shown, ["evaluate with m = 512"]);
    }

    #[test]
    fn strides_that_depend_on_the_thread_are_offered_for_the_first_one() {
        let shown = of("using namespace cute;\n\
            __global__ void k(half_t* p, int m) {\n  __shared__ half_t smem[4096];\n  \
            auto s = make_tensor(make_smem_ptr(smem), composition(Swizzle<3,3,3>{}, make_layout(\
            make_shape(Int<64>{}, Int<64>{}), make_stride(Int<64>{}, Int<1>{}))));\n  \
            auto mma = make_tiled_mma(SM80_16x8x16_F32F16F16F32_TN{}, Layout<Shape<_2,_2>>{});\n  \
            auto copy = make_tiled_copy_A(Copy_Atom<SM75_U32x4_LDSM_N, half_t>{}, mma);\n  \
            auto t = copy.get_slice(threadIdx.x).partition_S(s);\n}\n");
        assert_eq!(
            shown.last().map(String::as_str),
            Some("show for thread 0: d0 = 16, d1 = 32")
        );
    }

    #[test]
    fn a_layout_that_is_to_be_run_can_be_looked_at() {
        let shown = of("using namespace cute;\nvoid f() {\n  // cute: run\n  \
            auto t = make_layout(make_shape(Int<128>{}, Int<8>{}));\n}\n");
        assert_eq!(shown, ["layout 128x8", "picture"]);
    }
}
