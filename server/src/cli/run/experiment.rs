//! What can be run: the offsets of a layout, a copy between two, an access to shared memory, a load
//! by TMA.

use cute_algebra::AnyLayout;
use cute_hardware::tma::encoding;
use cute_hardware::{Refusal, SharedLayout};
use cute_runner::banks::BankAccess;
use cute_runner::compare::{self, Comparison};
use cute_runner::copy::Copy;
use cute_runner::cpu;
use cute_runner::job::{Job, Outcome, Timing};
use cute_runner::plan::Plan;
use cute_runner::tma::TmaLoad;
use serde_json::{Map, Value, json};

/// A question to a machine.
pub(super) enum Experiment {
    /// Is the program of this layout the layout?
    Offsets(Box<Plan>),
    /// Does every element arrive, and how fast?
    Copy(Box<Copy>, String),
    /// How many wavefronts does this access of a warp take?
    Banks(BankAccess, String),
    /// Does TMA put a tile where the layout says?
    Tma(Box<TmaLoad>, String),
}

/// The answer.
pub(super) struct Report {
    /// What was run.
    subject: String,
    /// Whether the machine and the algebra agree.
    pub(super) agrees: bool,
    /// The sentence of the comparison, and figures, one a line.
    lines: Vec<String>,
    /// The same for scripts.
    fields: Map<String, Value>,
}

impl Experiment {
    pub(super) fn offsets(layout: &AnyLayout) -> Result<Self, Refusal> {
        Plan::of_offsets(layout).map(|plan| Self::Offsets(Box::new(plan)))
    }

    /// At most `samples` of its coordinates.
    pub(super) fn some_offsets(layout: &AnyLayout, samples: i64) -> Result<Self, Refusal> {
        let plan = Plan::of_offsets(layout)?.at_most(samples);
        Ok(Self::Offsets(Box::new(plan)))
    }

    pub(super) fn copy(
        source: &AnyLayout,
        destination: &AnyLayout,
        element_bits: u16,
    ) -> Result<Self, Refusal> {
        let copy = Copy::between(source, destination, i64::from(element_bits))?;
        let subject = format!("{source} -> {destination}, {element_bits}-bit elements");
        Ok(Self::Copy(Box::new(copy), subject))
    }

    pub(super) fn banks(layout: &AnyLayout, element_bits: i64) -> Result<Self, Refusal> {
        let subject = format!("{layout}, {element_bits} bits by each lane of a warp");
        Ok(Self::Banks(BankAccess::of(layout, element_bits)?, subject))
    }

    pub(super) fn tma(shared: &SharedLayout) -> Result<Self, Refusal> {
        let load = TmaLoad::of(shared)?;
        Ok(Self::Tma(Box::new(load), shared.to_string()))
    }

    /// What a GPU runs: the experiment itself, then what it is measured against.
    pub(super) fn jobs(&self) -> Result<Vec<Job>, Refusal> {
        match self {
            Self::Offsets(plan) => Ok(vec![plan.job()?]),
            Self::Copy(copy, _) => {
                let timing = Some(Timing::STANDARD);
                Ok(vec![copy.job(timing)?, copy.identity()?.job(timing)?])
            }
            Self::Banks(access, _) => Ok(vec![access.job()?, access.without_conflicts()?.job()?]),
            Self::Tma(load, _) => Ok(vec![load.job()?]),
        }
    }

    pub(super) fn on_cpu(&self) -> Result<Report, Refusal> {
        match self {
            Self::Offsets(plan) => {
                let offsets = cpu::offsets(plan)?;
                Ok(offsets_report(plan, compare::with_algebra(plan, &offsets)?))
            }
            Self::Copy(copy, subject) => copy_report(copy, subject, &copy.on_cpu()?),
            Self::Banks(access, subject) => Ok(banks_report(access, subject)),
            Self::Tma(load, subject) => tma_report(load, subject, &load.on_cpu()?),
        }
    }

    pub(super) fn on_gpu(&self, outcomes: &[Outcome]) -> Result<Report, super::Unjudged> {
        let unjudged = |refusal: Refusal| super::Unjudged(refusal.to_string());
        let outcome = outcomes
            .first()
            .ok_or_else(|| super::Unjudged("nothing was run".to_owned()))?;
        let bytes = outcome.results.first().map_or(&[][..], Vec::as_slice);
        let mut report = match self {
            Self::Offsets(plan) => {
                let offsets = Plan::offsets_in(bytes);
                let comparison = compare::with_algebra(plan, &offsets).map_err(unjudged)?;
                offsets_report(plan, comparison)
            }
            Self::Copy(copy, subject) => {
                let mut report = copy_report(copy, subject, bytes).map_err(unjudged)?;
                report.bandwidth(copy, outcomes);
                report
            }
            Self::Banks(access, subject) => {
                let mut report = banks_report(access, subject);
                report.cycles(outcomes);
                report
            }
            Self::Tma(load, subject) => {
                let mut report = tma_report(load, subject, bytes).map_err(unjudged)?;
                report.descriptor(load, outcome);
                report
            }
        };
        if let Some(registers) = outcome.registers {
            report.lines.push(format!("{registers} registers"));
            report
                .fields
                .insert("registers".to_owned(), json!(registers));
        }
        Ok(report)
    }
}

impl Report {
    /// For a person; `place` says where it was run.
    pub(super) fn text(&self, place: &str) -> String {
        format!("{}: {place}\n{}\n", self.subject, self.lines.join("\n"))
    }

    /// For scripts.
    pub(super) fn json(&self, device: &str, why: &str) -> Value {
        let mut object = Map::new();
        object.insert("device".to_owned(), json!(device));
        object.insert("why".to_owned(), json!(why));
        object.insert("agrees".to_owned(), json!(self.agrees));
        object.extend(self.fields.clone());
        Value::Object(object)
    }

    /// Bytes read and written in a second, and the share of what a copy without permutation reaches
    /// in the same run.
    fn bandwidth(&mut self, copy: &Copy, outcomes: &[Outcome]) {
        #[allow(clippy::cast_precision_loss)] // Far below 2^53 bytes.
        let bytes = 2.0 * copy.moved_bytes() as f64;
        let rates: Vec<(f64, f64)> = outcomes
            .iter()
            .filter_map(|outcome| {
                let mut sorted = outcome.milliseconds.clone();
                sorted.sort_by(f64::total_cmp);
                let (best, middle) = (sorted.first()?, sorted.get(sorted.len() / 2)?);
                Some((bytes / best / 1e6, bytes / middle / 1e6))
            })
            .collect();
        if let [(best, middle), (ceiling, _)] = rates.as_slice() {
            let share = 100.0 * best / ceiling;
            self.lines.push(format!(
                "{best:.1} GB/s read and written (median {middle:.1}), {share:.0} % of the {ceiling:.1} GB/s of a plain copy"
            ));
            for (name, value) in [
                ("gigabytes_per_second", best),
                ("gigabytes_per_second_median", middle),
                ("plain_copy_gigabytes_per_second", ceiling),
            ] {
                self.fields.insert(name.to_owned(), json!(value));
            }
        }
    }

    /// Cycles of a load, beside those of one without conflicts.
    fn cycles(&mut self, outcomes: &[Outcome]) {
        let cycles: Vec<f64> = outcomes
            .iter()
            .filter_map(BankAccess::cycles_of_a_load)
            .collect();
        if let [access, plain] = cycles.as_slice() {
            self.lines.push(format!(
                "{access:.1} cycles a load, {plain:.1} without conflicts"
            ));
            self.fields.insert("cycles".to_owned(), json!(access));
            self.fields
                .insert("cycles_without_conflicts".to_owned(), json!(plain));
        }
    }

    /// Whether the driver encodes the descriptor that we preview; the address is the driver's.
    fn descriptor(&mut self, load: &TmaLoad, outcome: &Outcome) {
        let Some(encoded) = outcome.maps.first() else {
            return;
        };
        let address = match encoded.as_slice() {
            [low, high, ..] => u64::from(*low) | u64::from(*high) << 32,
            _ => return,
        };
        let Ok(previewed) = encoding::encode(&load.atom().map, address, ARCHITECTURE) else {
            return;
        };
        let differing: Vec<usize> = previewed
            .iter()
            .zip(encoded)
            .enumerate()
            .filter(|(_, (ours, theirs))| ours != theirs)
            .map(|(word, _)| word)
            .collect();
        self.lines.push(if differing.is_empty() {
            "the driver encodes the previewed descriptor".to_owned()
        } else {
            format!("the driver's descriptor differs from the preview in words {differing:?}")
        });
        self.fields
            .insert("descriptor_words_that_differ".to_owned(), json!(differing));
    }
}

/// The architecture whose descriptors are compared.
const ARCHITECTURE: u16 = 90;

fn banks_report(access: &BankAccess, subject: &str) -> Report {
    let wavefronts = access.wavefronts();
    let mut fields = Map::new();
    fields.insert("access".to_owned(), json!(subject));
    fields.insert("wavefronts".to_owned(), json!(wavefronts.waves));
    fields.insert("ideal".to_owned(), json!(wavefronts.ideal));
    Report {
        subject: subject.to_owned(),
        agrees: true,
        lines: vec![format!(
            "{} wavefronts, {} without conflicts (model)",
            wavefronts.waves, wavefronts.ideal
        )],
        fields,
    }
}

fn tma_report(load: &TmaLoad, subject: &str, memory: &[u8]) -> Result<Report, Refusal> {
    let (compared, wrong) = load.compared(memory)?;
    let map = &load.atom().map;
    let verdict = match wrong {
        None => format!("{compared} elements of the first box are where the layout says"),
        Some(byte) => format!(
            "byte {} of shared memory: {:#04x} expected, {} found",
            byte.shared_byte,
            byte.expected,
            byte.got
                .map_or_else(|| "nothing".to_owned(), |got| format!("{got:#04x}")),
        ),
    };
    let boxes = format!(
        "box {:?} of {} bytes, {} instructions a tile",
        map.box_dims,
        map.box_bytes(),
        load.atom().instructions
    );
    let mut fields = Map::new();
    fields.insert("layout".to_owned(), json!(subject));
    fields.insert("compared".to_owned(), json!(compared));
    fields.insert("box".to_owned(), json!(map.box_dims));
    fields.insert("instructions".to_owned(), json!(load.atom().instructions));
    let difference = wrong.map(
        |byte| json!({"shared_byte": byte.shared_byte, "expected": byte.expected, "got": byte.got}),
    );
    fields.insert("difference".to_owned(), json!(difference));
    Ok(Report {
        subject: subject.to_owned(),
        agrees: wrong.is_none(),
        lines: vec![verdict, boxes],
        fields,
    })
}

fn offsets_report(plan: &Plan, comparison: Comparison) -> Report {
    let instructions = plan.program().cost().instructions;
    let (compared, size) = (comparison.compared, plan.size());
    let scope = if plan.is_exhaustive() {
        "all"
    } else {
        "an even sample"
    };
    let verdict = match comparison.difference {
        None => format!("{compared} of {size} offsets compared ({scope}): each is the algebra's"),
        Some(difference) => format!(
            "coordinate {}: {} expected, {} computed",
            difference.coordinate,
            difference.expected,
            difference
                .got
                .map_or_else(|| "nothing".to_owned(), |got| got.to_string()),
        ),
    };
    let difference = comparison.difference.map(|difference| {
        json!({
            "coordinate": difference.coordinate,
            "expected": difference.expected,
            "got": difference.got,
        })
    });
    let mut fields = Map::new();
    fields.insert("layout".to_owned(), json!(plan.layout().to_string()));
    fields.insert("size".to_owned(), json!(size));
    fields.insert("compared".to_owned(), json!(compared));
    fields.insert("exhaustive".to_owned(), json!(plan.is_exhaustive()));
    fields.insert("difference".to_owned(), json!(difference));
    Report {
        subject: format!("{}: {instructions} instructions", plan.layout()),
        agrees: comparison.difference.is_none(),
        lines: vec![verdict],
        fields,
    }
}

fn copy_report(copy: &Copy, subject: &str, destination: &[u8]) -> Result<Report, Refusal> {
    let misplaced = copy.first_misplaced(destination)?;
    let verdict = match misplaced {
        None => "every element is where the algebra says".to_owned(),
        Some(place) => format!(
            "coordinate {}: element {} of the source is not at {} of the destination",
            place.coordinate, place.from, place.to
        ),
    };
    let width = format!(
        "{} bytes moved, {} at once",
        copy.moved_bytes(),
        copy.vector_bytes()
    );
    let mut fields = Map::new();
    fields.insert("copy".to_owned(), json!(subject));
    fields.insert("bytes".to_owned(), json!(copy.moved_bytes()));
    fields.insert("vector_bytes".to_owned(), json!(copy.vector_bytes()));
    let difference = misplaced
        .map(|place| json!({"coordinate": place.coordinate, "from": place.from, "to": place.to}));
    fields.insert("difference".to_owned(), json!(difference));
    Ok(Report {
        subject: subject.to_owned(),
        agrees: misplaced.is_none(),
        lines: vec![verdict, width],
        fields,
    })
}
