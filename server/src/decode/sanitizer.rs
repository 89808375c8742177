//! The output of `compute-sanitizer`, taken apart: the error, its place, and the thread.

use super::compiler_log::LogPlace;

/// An error of the sanitizer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Incident {
    /// `Invalid __global__ read of size 16 bytes`.
    pub(super) what: String,
    /// The place, then its callers.
    pub(super) places: Vec<LogPlace>,
    /// The thread in its block.
    pub(super) thread: Option<[i64; 3]>,
    /// The block.
    pub(super) block: Option<[i64; 3]>,
    /// The address that was accessed.
    pub(super) address: Option<i64>,
    /// The start of the nearest allocation, and its bytes.
    pub(super) allocation: Option<(i64, i64)>,
    /// Whether the address is not a multiple of what is accessed.
    pub(super) is_misaligned: bool,
}

/// The start of the lines of the sanitizer.
const MARK: &str = "=========";

/// The start of its errors.
const HEADS: &[&str] = &[
    "Invalid ",
    "Misaligned ",
    "Illegal ",
    "Warp ",
    "Barrier error",
    "Divergent ",
    "Error: ",
    "Warning: ",
    "Race reported",
    "Uninitialized ",
];

/// The errors in a log, in order.
pub(super) fn incidents(log: &str) -> Vec<Incident> {
    let mut found: Vec<Incident> = Vec::new();
    for line in log.lines() {
        let Some((_, rest)) = line.split_once(MARK) else {
            continue;
        };
        let is_head = HEADS.iter().any(|head| rest.trim_start().starts_with(head))
            && rest.len() - rest.trim_start().len() <= 1;
        let said = rest.trim();
        if is_head {
            found.push(Incident {
                what: said.trim_start_matches("Error: ").to_owned(),
                places: place(said).into_iter().collect(),
                ..Incident::default()
            });
            continue;
        }
        if let Some(incident) = found.last_mut() {
            add(incident, said);
        }
    }
    found
}

fn add(incident: &mut Incident, said: &str) {
    if said.starts_with("at ")
        || said.starts_with("Device Frame:")
        || said.starts_with("Write Thread")
        || said.starts_with("Read Thread")
    {
        incident.places.extend(place(said));
    }
    if incident.thread.is_none() {
        incident.thread = coordinate(said, "thread (").or_else(|| coordinate(said, "Thread ("));
        incident.block = incident.block.or_else(|| coordinate(said, "block ("));
    }
    if let Some(rest) = said.strip_prefix("Address ")
        && incident.address.is_none()
    {
        incident.address = hexadecimal(rest);
        incident.is_misaligned = rest.contains("is misaligned");
    }
    if let Some((_, rest)) = said.split_once("nearest allocation at ")
        && let Some(start) = hexadecimal(rest)
        && let Some((_, size)) = rest.split_once("of size ")
    {
        incident.allocation = decimal(size).map(|size| (start, size));
    }
}

/// `.. in FILE:LINE`, `.. in FILE:LINE:function(..)`.
fn place(said: &str) -> Option<LogPlace> {
    let (_, rest) = said.rsplit_once(" in ")?;
    let (file, behind) = rest.split_once(':')?;
    // A drive of Windows.
    let (file, behind) = match behind.split_once(':') {
        Some((more, line)) if file.len() == 1 => (format!("{file}:{more}"), line),
        _ => (file.to_owned(), behind),
    };
    let line = decimal(behind)?;
    Some(LogPlace {
        file,
        line: usize::try_from(line).ok().filter(|line| *line > 0)?,
        column: None,
    })
}

/// `(1,2,3)` behind a word.
fn coordinate(said: &str, word: &str) -> Option<[i64; 3]> {
    let (_, rest) = said.split_once(word)?;
    let (inside, _) = rest.split_once(')')?;
    let mut numbers = inside.split(',').map(|number| number.trim().parse().ok());
    Some([numbers.next()??, numbers.next()??, numbers.next()??])
}

fn hexadecimal(text: &str) -> Option<i64> {
    let digits: String = text
        .trim_start()
        .strip_prefix("0x")?
        .chars()
        .take_while(char::is_ascii_hexdigit)
        .collect();
    i64::from_str_radix(&digits, 16).ok()
}

/// The number that a text begins with, `1,024` as people write it.
fn decimal(text: &str) -> Option<i64> {
    let digits: String = text
        .trim_start()
        .chars()
        .take_while(|c| c.is_ascii_digit() || *c == ',')
        .filter(char::is_ascii_digit)
        .collect();
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_access_out_of_bounds_is_taken_apart() {
        let log = "\
========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at shift(const float *, float *)+0x90 in /tmp/a.cu:7
=========     by thread (32,0,0) in block (1,0,0)
=========     Address 0x7f0000001400 is out of bounds
=========     and is 1,025 bytes after the nearest allocation at 0x7f0000000c00 of size 1,024 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
========= ERROR SUMMARY: 1 error
";
        assert_eq!(
            incidents(log),
            [Incident {
                what: "Invalid __global__ read of size 4 bytes".to_owned(),
                places: vec![LogPlace {
                    file: "/tmp/a.cu".to_owned(),
                    line: 7,
                    column: None
                }],
                thread: Some([32, 0, 0]),
                block: Some([1, 0, 0]),
                address: Some(0x7f00_0000_1400),
                allocation: Some((0x7f00_0000_0c00, 1024)),
                is_misaligned: false,
            }]
        );
    }

    #[test]
    fn an_address_may_be_misaligned() {
        let log = "\
========= Invalid __global__ read of size 16 bytes
=========     at gemm(float *)+0x6f0 in k.cu:20
=========     by thread (3,0,0) in block (7,1,0)
=========     Address 0x7f3c5a000004 is misaligned
";
        let found = incidents(log);
        assert_eq!(found.len(), 1);
        assert!(found.iter().all(|incident| incident.is_misaligned));
    }

    #[test]
    fn other_logs_have_none() {
        assert!(incidents("a.cu(3): error: x\n========= ERROR SUMMARY: 0 errors\n").is_empty());
    }
}
