//! What can be run: the offsets of a layout, a copy between two.

use cute_algebra::AnyLayout;
use cute_hardware::Refusal;
use cute_runner::compare::{self, Comparison};
use cute_runner::copy::Copy;
use cute_runner::cpu;
use cute_runner::job::{Job, Outcome, Timing};
use cute_runner::plan::Plan;
use serde_json::{Map, Value, json};

/// A question to a machine.
pub(super) enum Experiment {
    /// Is the program of this layout the layout?
    Offsets(Box<Plan>),
    /// Does every element arrive, and how fast?
    Copy(Box<Copy>, String),
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

    pub(super) fn copy(
        source: &AnyLayout,
        destination: &AnyLayout,
        element_bits: u16,
    ) -> Result<Self, Refusal> {
        let copy = Copy::between(source, destination, i64::from(element_bits))?;
        let subject = format!("{source} -> {destination}, {element_bits}-bit elements");
        Ok(Self::Copy(Box::new(copy), subject))
    }

    pub(super) fn job(&self) -> Result<Job, Refusal> {
        match self {
            Self::Offsets(plan) => plan.job(),
            Self::Copy(copy, _) => copy.job(Some(Timing::STANDARD)),
        }
    }

    pub(super) fn on_cpu(&self) -> Result<Report, Refusal> {
        match self {
            Self::Offsets(plan) => {
                let offsets = cpu::offsets(plan)?;
                Ok(offsets_report(plan, compare::with_algebra(plan, &offsets)?))
            }
            Self::Copy(copy, subject) => copy_report(copy, subject, &copy.on_cpu()?),
        }
    }

    pub(super) fn on_gpu(&self, outcome: &Outcome) -> Result<Report, super::Unjudged> {
        let unjudged = |refusal: Refusal| super::Unjudged(refusal.to_string());
        let bytes = outcome.results.first().map_or(&[][..], Vec::as_slice);
        let mut report = match self {
            Self::Offsets(plan) => {
                let offsets = Plan::offsets_in(bytes);
                let comparison = compare::with_algebra(plan, &offsets).map_err(unjudged)?;
                offsets_report(plan, comparison)
            }
            Self::Copy(copy, subject) => {
                let mut report = copy_report(copy, subject, bytes).map_err(unjudged)?;
                report.bandwidth(copy, &outcome.milliseconds);
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

    /// Bytes read and written in a second, by the fastest and the middle batch.
    fn bandwidth(&mut self, copy: &Copy, milliseconds: &[f64]) {
        let mut sorted = milliseconds.to_vec();
        sorted.sort_by(f64::total_cmp);
        let (Some(best), Some(middle)) = (sorted.first(), sorted.get(sorted.len() / 2)) else {
            return;
        };
        #[allow(clippy::cast_precision_loss)] // Far below 2^53 bytes.
        let rate = |milliseconds: f64| 2.0 * copy.moved_bytes() as f64 / milliseconds / 1e6;
        self.lines.push(format!(
            "{:.1} GB/s read and written (best of {}; median {:.1})",
            rate(*best),
            sorted.len(),
            rate(*middle)
        ));
        self.fields
            .insert("gigabytes_per_second".to_owned(), json!(rate(*best)));
        self.fields.insert(
            "gigabytes_per_second_median".to_owned(),
            json!(rate(*middle)),
        );
    }
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
