//! `infer OFFSET...`: the layout that has a table of offsets; `infer --function NAME`: that of a function of a source.

use std::io;
use std::path::Path;

use cute_algebra::infer::{Inference, Inferred, infer};
use cute_analysis::limits::{ACCESS_PASSES, ACCESS_TABLE};
use cute_hardware::multiprocessor::THREADS_OF_A_CTA;
use serde_json::json;
use tree_sitter_cute::Host;

use super::Session;
use super::input_lines::for_each_line;
use super::output::{Outcome, complain};
use super::source::Source;
use crate::presentation::access;

pub(super) fn run(offsets: &[String], session: &mut Session) -> io::Result<Outcome> {
    let table = match parse(&offsets.join(" ")) {
        Ok(table) => table,
        Err(message) => {
            complain(&message);
            return Ok(Outcome::Unusable);
        }
    };
    match infer(&table) {
        Ok(found) => {
            session.out.line(&format!("{found:#}"))?;
            Ok(Outcome::Clean)
        }
        Err(refusal) => {
            complain(&refusal.to_string());
            Ok(Outcome::Found)
        }
    }
}

/// The layout of a function of a source: of an access that a kernel makes with it for every coordinate.
pub(super) fn of_function(
    function: &str,
    shape: &str,
    path: &Path,
    session: &mut Session,
) -> io::Result<Outcome> {
    let unusable = |message: &str| {
        complain(message);
        Ok(Outcome::Unusable)
    };
    let Ok(extents) = parse(&shape.replace(['(', ')'], " ")) else {
        return unusable(&format!("`{shape}` is not a shape of numbers"));
    };
    let source = match Source::read(path) {
        Ok(source) => source,
        Err(error) => return unusable(&error.to_string()),
    };
    let asked = match Host::of_path(path) {
        Some(Host::CudaCpp) => Asked::in_cpp(function, &extents),
        Some(Host::Rust) => Asked::in_rust(function, &extents),
        _ => return unusable("functions are evaluated in CUDA C++ and in Rust"),
    };
    let Some(asked) = asked else {
        return unusable(&format!(
            "a shape has at most {ACCESS_TABLE} coordinates, {THREADS_OF_A_CTA} along its first mode and {ACCESS_PASSES} along each other: {shape}"
        ));
    };
    let at = source.text.len() + asked.before;
    let source = source.followed_by(&asked.text);
    let analysis = match session.analyse(&source) {
        Ok(analysis) => analysis,
        Err(error) => return unusable(&error.to_string()),
    };
    let access = analysis
        .accesses
        .iter()
        .find(|access| access.span.start == at);
    let map = match access.map(|access| &access.map) {
        Some(Ok(map)) => map,
        Some(Err(reason)) => {
            complain(&format!(
                "the offsets of `{function}` are not known: {reason}"
            ));
            return Ok(Outcome::Found);
        }
        None => return unusable(&format!("`{function}` was not evaluated")),
    };
    let Some(layout) = access::layout(map) else {
        complain(&format!(
            "no layout has the offsets of `{function}`: {}",
            map.expression
        ));
        return Ok(Outcome::Found);
    };
    session.out.line(&layout)?;
    Ok(Outcome::Clean)
}

/// The name of the kernel that is added to a source.
const KERNEL: &str = "cute_analyzer_infer";

/// Text behind a source that asks for the offsets of a function.
struct Asked {
    text: String,
    /// The bytes of it before the access.
    before: usize,
}

impl Asked {
    /// The names of the coordinates: the first one is the thread, the others are counted by loops, the last one outermost.
    fn coordinates(extents: &[i64]) -> Option<Vec<String>> {
        let (first, others) = extents.split_first()?;
        let size = extents.iter().try_fold(1_i64, |size, extent| {
            size.checked_mul(*extent)
                .filter(|size| (1..=ACCESS_TABLE).contains(size))
        });
        let fits = size.is_some()
            && *first <= THREADS_OF_A_CTA
            && others.iter().all(|extent| *extent <= ACCESS_PASSES);
        fits.then(|| (0..extents.len()).map(|mode| format!("i{mode}")).collect())
    }

    fn in_cpp(function: &str, extents: &[i64]) -> Option<Self> {
        let names = Self::coordinates(extents)?;
        let (first, others) = extents.split_first()?;
        let loops = Self::loops(&names, others, &|name, extent| {
            format!("for (int {name} = 0; {name} < {extent}; ++{name}) ")
        });
        let head = format!("\n__global__ void {KERNEL}(char* p) {{ int i0 = threadIdx.x; {loops}");
        let access = format!("p[{function}({})] = 0; }}\n", names.join(", "));
        let launch = format!("void {KERNEL}_run(char* p) {{ {KERNEL}<<<1, {first}>>>(p); }}\n");
        Some(Self {
            before: head.len(),
            text: head + &access + &launch,
        })
    }

    fn in_rust(function: &str, extents: &[i64]) -> Option<Self> {
        let names = Self::coordinates(extents)?;
        let (first, others) = extents.split_first()?;
        let loops = Self::loops(&names, others, &|name, extent| {
            format!("for {name} in 0..{extent}usize {{ ")
        });
        let head = format!(
            "\n#[cuda_device::kernel]\n#[cuda_device::launch_contract(block = ({first}, 1, 1))]\n\
             pub fn {KERNEL}(p: &[u8]) {{ let i0 = cuda_device::thread::threadIdx_x() as usize; {loops}let f = "
        );
        let access = format!("p[{function}({}) as usize]; ", names.join(", "));
        Some(Self {
            before: head.len(),
            text: head + &access + &"} ".repeat(extents.len()),
        })
    }

    /// The heads of the loops over all coordinates but the first, the last one outermost.
    fn loops(names: &[String], extents: &[i64], head: &dyn Fn(&str, i64) -> String) -> String {
        let each = names.iter().skip(1).zip(extents).rev();
        let heads: Vec<String> = each.map(|(name, extent)| head(name, *extent)).collect();
        heads.concat()
    }
}

/// One table per line in, one JSON object per line out.
pub(super) fn stream(session: &mut Session) -> io::Result<Outcome> {
    for_each_line(|line| {
        let answer = match line.map_err(str::to_owned).and_then(parse) {
            Ok(table) => match infer(&table) {
                Ok(found) => json!({ "result": format!("{found:#}"), "kind": kind(&found) }),
                Err(refusal) => json!({ "error": refusal.to_string() }),
            },
            Err(message) => json!({ "error": message }),
        };
        session.out.json(&answer)?;
        session.out.flush()
    })?;
    Ok(Outcome::Clean)
}

fn kind(found: &Inference) -> &'static str {
    match found.inferred {
        Inferred::Layout(_) => "layout",
        Inferred::Swizzled(_) => "swizzled",
        Inferred::Xor(_) => "xor",
        Inferred::Sequence(_) => "sequence",
    }
}

/// Numbers separated by blanks or commas, in brackets or not.
fn parse(text: &str) -> Result<Vec<i64>, String> {
    let text = text.trim();
    let inner = text
        .strip_prefix('[')
        .and_then(|rest| rest.strip_suffix(']'))
        .unwrap_or(text);
    inner
        .split(|c: char| c == ',' || c.is_whitespace())
        .filter(|number| !number.is_empty())
        .map(|number| {
            number
                .parse()
                .map_err(|_| format!("`{number}` is not an offset"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_in_the_usual_spellings() {
        for text in ["0 8 -1", "[0, 8, -1]", "0,8,-1", " 0\t8 , -1 "] {
            assert_eq!(parse(text), Ok(vec![0, 8, -1]), "{text}");
        }
        assert!(parse("0 eight").is_err());
    }
}
