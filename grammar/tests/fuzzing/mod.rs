//! A fuzzer of the notation, in this process: it makes values, writes them, damages what it wrote,
//! and checks what the parser says. The same seed makes the same cases.

mod check;
mod damage;
mod random;
mod values;

use std::time::{Duration, Instant};

pub(crate) use random::Random;
pub(crate) use values::value;

/// The report of a run.
#[derive(Debug, Default)]
pub(crate) struct Report {
    /// Texts that were read.
    pub(crate) cases: u64,
    /// Number of values among them.
    pub(crate) values: u64,
    /// Bytes of all of them.
    pub(crate) bytes: u64,
    /// The longest time for one text, and the text's bytes.
    pub(crate) slowest: (Duration, usize),
}

/// Texts that others begin from: each form of the notation once.
const SEEDS: &[&str] = &[
    "((2,2),4):((1,8),2)",
    "(_8,?,?{div=8},M):(_1,_-1,ldA,4*lda)",
    "Sw<3,4,3>_smem_ptr[16b](PTR) o (_8,_16):(_64,_1)",
    "composition(A, <4:1, 8:2>) (/) [4:1; _]",
    "cute::size<0>(make_layout(Int<4>{}, e1, 6e0, E<0,1>{}))",
    "(1/2@0, -3/-4@1@0, (M+127)/128*2-1)",
    "(A \u{2218} (B \u{2297} C)):(f5,0x1f)",
    "Swizzle<2,1,-2>{} o ::UMMA::DescriptorIterator o ():()",
];

/// Reads `cases` texts.
///
/// # Panics
/// When the parser breaks a promise; the message has the text.
pub(crate) fn run(seed: u64, cases: u64) -> Report {
    let mut random = Random::new(seed);
    let mut report = Report::default();
    let mut pool: Vec<String> = SEEDS.iter().map(|seed| (*seed).to_owned()).collect();
    while report.cases < cases {
        let text = match random.below(4) {
            0 => {
                let value = value(&mut random);
                let text = check::what_is_written_is_read_back(&value);
                // A few of the latest values stay in the pool.
                let place = SEEDS.len() + random.below(64);
                match pool.get_mut(place) {
                    Some(old) => old.clone_from(&text),
                    None => pool.push(text.clone()),
                }
                text
            }
            _ => damage::damaged(&mut random, &pool),
        };
        let start = Instant::now();
        let is_value = check::answer_keeps_its_promises(&text);
        let time = start.elapsed();
        report.cases += 1;
        report.values += u64::from(is_value);
        report.bytes += text.len() as u64;
        if time > report.slowest.0 {
            report.slowest = (time, text.len());
        }
    }
    report
}
