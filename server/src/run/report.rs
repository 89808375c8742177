//! The report on an answer: a verdict, figures, and the same as data.

use cute_runner::banks::BankAccess;
use cute_runner::compare::Comparison;
use cute_runner::copy::{Copy, Misplaced, Rates};
use cute_runner::experiment::{Experiment, Measured};
use cute_runner::fragments::{Compared, Fragments};
use cute_runner::gemm::Gemm;
use cute_runner::plan::Plan;
use cute_runner::product::{Inputs, Product};
use cute_runner::tma::{TmaAnswer, TmaLoad, WrongByte};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// The place of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Processor {
    /// On this processor, and why.
    Cpu(String),
    /// On a GPU.
    Gpu {
        /// Its name, architecture and driver.
        device: String,
        /// Bytes of its second-level cache.
        l2_bytes: i64,
    },
}

/// An answer for people and scripts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The subject of the run.
    pub subject: String,
    /// The kind of the experiment: `offsets`, `copy`, ...
    pub experiment: String,
    /// `cpu` or `cuda`.
    pub device: String,
    /// Why the CPU, or which GPU.
    pub why: String,
    /// Whether the machine and the algebra agree.
    pub agrees: bool,
    /// The answer in a few words, for a lens.
    pub brief: String,
    /// The sentence of the comparison, and figures, one a line.
    pub lines: Vec<String>,
    /// The same as data.
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

/// The report of an answer itself, without its place.
struct Said {
    subject: String,
    kind: &'static str,
    brief: String,
    lines: Vec<String>,
    fields: Value,
}

impl Report {
    /// The report on an answer.
    pub fn of(
        experiment: &Experiment,
        answer: &Measured,
        registers: Option<u32>,
        place: Processor,
    ) -> Self {
        let mut said = match (experiment, answer) {
            (Experiment::Offsets(plan), Measured::Offsets(comparison)) => {
                of_offsets(plan, *comparison)
            }
            (Experiment::Copy(copy), Measured::Copy { misplaced, rates }) => {
                of_copy(copy, *misplaced, *rates, &place)
            }
            (Experiment::Banks(access), Measured::Banks(timing)) => {
                let mut said = of_banks(access);
                if let Some(timing) = timing {
                    timed_banks(&mut said, access, timing);
                }
                said
            }
            (Experiment::Tma(load), Measured::Tma(answer)) => of_tma(load, answer),
            (Experiment::Fragments(fragments), Measured::Elements(compared)) => {
                of_fragments(fragments, compared)
            }
            (Experiment::Product(product), Measured::Elements(compared)) => {
                of_product(product, compared)
            }
            (Experiment::Gemm(gemm), Measured::Elements(compared)) => of_gemm(gemm, compared),
            // The answer of an executor matches its experiment.
            _ => Said {
                subject: String::new(),
                kind: "unknown",
                brief: "an answer to another question".to_owned(),
                lines: Vec::new(),
                fields: Value::Null,
            },
        };
        let mut fields = match said.fields {
            Value::Object(fields) => fields,
            _ => Map::new(),
        };
        if let Some(registers) = registers {
            said.lines.push(format!("{registers} registers"));
            fields.insert("registers".to_owned(), json!(registers));
        }
        let (device, why) = match place {
            Processor::Cpu(why) => ("cpu", why),
            Processor::Gpu { device, .. } => ("cuda", device),
        };
        Self {
            subject: said.subject,
            experiment: said.kind.to_owned(),
            device: device.to_owned(),
            why,
            agrees: answer.agrees(),
            brief: said.brief,
            lines: said.lines,
            fields,
        }
    }

    /// The place of the run, as part of a sentence.
    pub fn place(&self) -> String {
        if self.device == "cpu" {
            format!("on the CPU ({})", self.why)
        } else {
            format!("on {}", self.why)
        }
    }

    /// For a person.
    pub fn text(&self) -> String {
        format!(
            "{}: run {}\n{}\n",
            self.subject,
            self.place(),
            self.lines.join("\n")
        )
    }

    /// For a hover: the answer and where it comes from, then the figures.
    pub fn section(&self) -> Vec<String> {
        let mut sentences = vec![format!("{}, run {}", self.lens(), self.place())];
        sentences.extend(self.lines.iter().skip(1).cloned());
        sentences
    }

    /// For a lens: a mark, the answer in a few words, and where.
    pub fn lens(&self) -> String {
        let mark = if self.agrees { "✓" } else { "✗" };
        let place = if self.device == "cpu" { "CPU" } else { "GPU" };
        format!("{mark} {} ({place})", self.brief)
    }
}

fn of_offsets(plan: &Plan, comparison: Comparison) -> Said {
    let (compared, size) = (comparison.compared, plan.size());
    let (scope, scope_briefly) = if plan.is_exhaustive() {
        ("all", "")
    } else {
        ("an even sample", ", a sample,")
    };
    let instructions = plan.program().cost().instructions;
    let (brief, line) = match comparison.difference {
        None => (
            format!("{compared} of {size} offsets{scope_briefly} agree"),
            format!("{compared} of {size} offsets compared ({scope}): each is the algebra's"),
        ),
        Some(difference) => {
            let got = difference
                .got
                .map_or_else(|| "nothing".to_owned(), |got| got.to_string());
            let line = format!(
                "coordinate {}: expected {}, got {got}",
                difference.coordinate, difference.expected
            );
            (line.clone(), line)
        }
    };
    let difference = comparison.difference.map(|difference| {
        json!({
            "coordinate": difference.coordinate,
            "expected": difference.expected,
            "got": difference.got,
        })
    });
    Said {
        subject: format!("{}: {instructions} instructions", plan.layout()),
        kind: "offsets",
        brief,
        lines: vec![line],
        fields: json!({
            "layout": plan.layout().to_string(),
            "size": size,
            "compared": compared,
            "exhaustive": plan.is_exhaustive(),
            "difference": difference,
        }),
    }
}

fn of_copy(
    copy: &Copy,
    misplaced: Option<Misplaced>,
    rates: Option<Rates>,
    place: &Processor,
) -> Said {
    let bytes = copy.moved_bytes();
    let subject = format!(
        "{} -> {}, {}-bit elements",
        copy.source(),
        copy.destination(),
        copy.element_bits()
    );
    let (brief, line) = match misplaced {
        None => (
            "every element arrives".to_owned(),
            "every element is where the algebra predicts".to_owned(),
        ),
        Some(place) => {
            let line = format!(
                "coordinate {}: element {} of the source is not at {} of the destination",
                place.coordinate, place.from, place.to
            );
            (line.clone(), line)
        }
    };
    let mut lines = vec![
        line,
        format!("{bytes} bytes moved, {} at once", copy.vector_bytes()),
    ];
    let difference = misplaced
        .map(|place| json!({"coordinate": place.coordinate, "from": place.from, "to": place.to}));
    let mut fields = json!({
        "copy": subject,
        "bytes": bytes,
        "vector_bytes": copy.vector_bytes(),
        "difference": difference,
    });
    let mut brief = brief;
    if let Some(rates) = rates {
        let (rate, ceiling) = (rates.copy.best, rates.identity.best);
        let share = 100.0 * rate / ceiling;
        lines.push(format!(
            "{rate:.1} GB/s read and written (median {:.1}), {share:.0} % of the {ceiling:.1} GB/s of a plain copy",
            rates.copy.median
        ));
        if misplaced.is_none() {
            brief = format!("{rate:.0} GB/s, {share:.0} % of a plain copy");
        }
        fields["gigabytes_per_second"] = json!(rate);
        fields["gigabytes_per_second_median"] = json!(rates.copy.median);
        fields["plain_copy_gigabytes_per_second"] = json!(ceiling);
        if let Some(driver) = rates.driver {
            lines.push(format!(
                "the plain copy reaches {:.0} % of the {:.1} GB/s of the driver's own",
                100.0 * ceiling / driver.best,
                driver.best
            ));
            fields["driver_copy_gigabytes_per_second"] = json!(driver.best);
        }
        if let Processor::Gpu { l2_bytes, .. } = place
            && 2 * bytes < 4 * l2_bytes
        {
            lines.push(format!(
                "the data is less than four times the cache of {l2_bytes} bytes: these are not the rates of its memory"
            ));
            fields["fits_cache"] = json!(true);
        }
    }
    Said {
        subject,
        kind: "copy",
        brief,
        lines,
        fields,
    }
}

fn of_banks(access: &BankAccess) -> Said {
    let subject = format!(
        "{}, {} bits by each lane of a warp",
        access.layout(),
        access.element_bits()
    );
    let wavefronts = access.wavefronts();
    let line = format!(
        "{} wavefronts, {} without conflicts (model)",
        wavefronts.waves, wavefronts.ideal
    );
    Said {
        kind: "banks",
        brief: line.clone(),
        lines: vec![line],
        fields: json!({
            "access": subject,
            "wavefronts": wavefronts.waves,
            "ideal": wavefronts.ideal,
        }),
        subject,
    }
}

/// Cycles of a load, beside those of one without conflicts and the model.
fn timed_banks(said: &mut Said, access: &BankAccess, timing: &cute_runner::banks::BankTiming) {
    said.lines.push(format!(
        "{:.1} cycles a load, {:.1} without conflicts",
        timing.cycles, timing.cycles_without_conflicts
    ));
    let confirmed = timing.confirms(access.wavefronts());
    let verdict = if confirmed {
        "as the model says"
    } else {
        "more than 20% from the model"
    };
    said.lines.push(format!(
        "{:.2} cycles between the loads of a busy block: {verdict}",
        timing.busy_cycles
    ));
    said.fields["cycles"] = json!(timing.cycles);
    said.fields["cycles_without_conflicts"] = json!(timing.cycles_without_conflicts);
    said.fields["busy_cycles"] = json!(timing.busy_cycles);
    said.fields["confirms_model"] = json!(confirmed);
}

fn byte_line(wrong: &WrongByte) -> String {
    format!(
        "byte {} of shared memory: expected {:#04x}, found {}",
        wrong.shared_byte,
        wrong.expected,
        wrong
            .got
            .map_or_else(|| "nothing".to_owned(), |got| format!("{got:#04x}")),
    )
}

fn byte_json(wrong: Option<WrongByte>) -> Value {
    json!(wrong.map(
        |byte| json!({"shared_byte": byte.shared_byte, "expected": byte.expected, "got": byte.got})
    ))
}

fn of_tma(load: &TmaLoad, answer: &TmaAnswer) -> Said {
    let map = &load.atom().map;
    let subject = format!("{} from {}", load.shared(), load.tensor());
    let line = match &answer.wrong {
        None => format!(
            "{} elements of the first box are where the layout says",
            answer.compared
        ),
        Some(wrong) => byte_line(wrong),
    };
    let mut lines = vec![
        line,
        format!(
            "box {:?} of {} bytes, {} instructions a tile",
            map.box_dims,
            map.box_bytes(),
            load.atom().instructions
        ),
    ];
    for (placement, wrong) in &answer.placements {
        lines.push(match wrong {
            None => format!("{}: every byte is the model's", placement.name()),
            Some(wrong) => format!("{}: {}", placement.name(), byte_line(wrong)),
        });
    }
    if let Some(words) = &answer.descriptor {
        lines.push(if words.is_empty() {
            "the driver encodes the previewed descriptor".to_owned()
        } else {
            format!("the driver's descriptor differs from the preview in words {words:?}")
        });
    }
    let brief = match lines.iter().find(|_| !answer.agrees()) {
        None => format!("{} elements placed", answer.compared),
        Some(_) => "shared memory is not as previewed".to_owned(),
    };
    let placements: Map<String, Value> = answer
        .placements
        .iter()
        .map(|(placement, wrong)| (placement.name().to_owned(), byte_json(*wrong)))
        .collect();
    Said {
        kind: "tma",
        brief,
        lines,
        fields: json!({
            "layout": load.shared().to_string(),
            "tensor": load.tensor().to_string(),
            "compared": answer.compared,
            "box": map.box_dims,
            "instructions": load.atom().instructions,
            "difference": byte_json(answer.wrong),
            "placements": placements,
            "descriptor_words_that_differ": answer.descriptor,
        }),
        subject,
    }
}

/// The sentence of elements that were compared one by one, and the same as data.
fn of_elements(compared: &Compared, right: &str) -> (String, Value) {
    match compared.wrong {
        None => (format!("{} {right}", compared.elements), Value::Null),
        Some(wrong) => (
            format!(
                "row {}, column {}: expected {}, found {}",
                wrong.row, wrong.column, wrong.expected, wrong.got
            ),
            json!({
                "row": wrong.row,
                "column": wrong.column,
                "expected": wrong.expected,
                "got": wrong.got,
            }),
        ),
    }
}

fn of_fragments(fragments: &Fragments, compared: &Compared) -> Said {
    let (line, difference) = of_elements(compared, "elements are where the layout says");
    let mut lines = vec![line.clone()];
    let mut fields = json!({
        "layout": fragments.shared().to_string(),
        "atom": fragments.atom_name(),
        "compared": compared.elements,
        "difference": difference,
    });
    if let Ok(wavefronts) = fragments.wavefronts() {
        lines.push(format!(
            "{} wavefronts, {} without conflicts (model)",
            wavefronts.waves, wavefronts.ideal
        ));
        fields["wavefronts"] = json!(wavefronts.waves);
        fields["ideal"] = json!(wavefronts.ideal);
    }
    Said {
        subject: format!("{} by {}", fragments.shared(), fragments.atom_name()),
        kind: fragments.direction().instruction(),
        brief: line,
        lines,
        fields,
    }
}

fn of_product(product: &Product, compared: &Compared) -> Said {
    let [m, n, k] = product.mnk();
    let right = match product.inputs() {
        Inputs::Identity(_) => "elements are the tile's own",
        Inputs::Random(_) => "elements are the product's",
    };
    let (line, difference) = of_elements(compared, right);
    let mut lines = vec![
        line.clone(),
        format!("{m} by {n} by {k}, {}", product.atom_name()),
    ];
    let mut fields = json!({
        "atom": product.atom_name(),
        "mnk": [m, n, k],
        "a": product.tiles()[0].to_string(),
        "b": product.tiles()[1].to_string(),
        "compared": compared.elements,
        "difference": difference,
    });
    if let Ok([a, b]) = product.descriptors() {
        lines.push(format!("descriptors {a:#018x} of A, {b:#018x} of B"));
        fields["descriptors"] = json!([format!("{a:#018x}"), format!("{b:#018x}")]);
    }
    if let Inputs::Random(seed) = product.inputs() {
        lines.push(format!("random integers, seed {seed}"));
        fields["seed"] = json!(seed);
    }
    let [a, b] = product.tiles();
    let subject = match product.inputs() {
        Inputs::Identity(cute_runner::product::Role::A) => format!("{a} times an identity"),
        Inputs::Identity(cute_runner::product::Role::B) => format!("an identity times {b}"),
        Inputs::Random(_) => format!("{a} times {b}"),
    };
    Said {
        subject,
        kind: match product.generation() {
            cute_hardware::descriptor::Generation::Wgmma => "wgmma",
            cute_hardware::descriptor::Generation::Tcgen05 => "tcgen05",
        },
        brief: line,
        lines,
        fields,
    }
}

fn of_gemm(gemm: &Gemm, compared: &Compared) -> Said {
    let [m, n, k] = gemm.mnk();
    let [a, b, c] = gemm.layouts();
    let (line, difference) = of_elements(compared, "sums are those of the definition");
    Said {
        subject: format!("{a} times {b} into {c}"),
        kind: "gemm",
        brief: line.clone(),
        lines: vec![
            line,
            format!("{m} by {n} by {k}, random integers, seed {}", gemm.seed()),
        ],
        fields: json!({
            "mnk": [m, n, k],
            "compared": compared.elements,
            "seed": gemm.seed(),
            "difference": difference,
        }),
    }
}
