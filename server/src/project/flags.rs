//! The compiler's flags for a file.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::files::read_text;
use super::tree::normal;

/// The compiler's flags for a file that layouts depend on.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Flags {
    /// Folders in which included files are looked for, in order.
    pub include: Vec<PathBuf>,
    /// Macros with their replacement texts, in order.
    pub defines: Vec<(String, String)>,
    /// The environment of Python in which modules are looked for: its folder or its interpreter.
    pub python: Option<PathBuf>,
}

/// Response files inside response files that are followed.
const RESPONSE_DEPTH: usize = 4;

impl Flags {
    /// Reads the arguments of a compiler that runs in `folder`; unknown ones are ignored.
    pub(super) fn of_arguments(arguments: &[String], folder: &Path) -> Self {
        let mut flags = Self::default();
        flags.add(arguments, folder, 0);
        flags.for_one_architecture();
        flags
    }

    /// Code for several architectures is compiled several times: which of them is meant is not known then.
    fn for_one_architecture(&mut self) {
        let targets: BTreeSet<&str> = self
            .defines
            .iter()
            .filter(|(name, _)| name == ARCHITECTURE_MACRO)
            .map(|(_, value)| value.as_str())
            .collect();
        if targets.len() > 1 {
            self.defines
                .retain(|(name, _)| !name.starts_with(ARCHITECTURE_MACRO_STEM));
        }
    }

    /// These flags, and then those.
    #[must_use]
    pub(super) fn and(mut self, more: &Self) -> Self {
        self.include.extend(more.include.iter().cloned());
        self.defines.extend(more.defines.iter().cloned());
        self.python = self.python.or_else(|| more.python.clone());
        self
    }

    fn add(&mut self, arguments: &[String], folder: &Path, depth: usize) {
        let mut rest = arguments.iter();
        while let Some(argument) = rest.next() {
            if let Some(value) = value_of(argument, &INCLUDE, &mut rest) {
                self.include.push(normal(&folder.join(value)));
            } else if let Some(value) = value_of(argument, &DEFINE, &mut rest) {
                self.defines.push(defined(value));
            } else if let Some(value) = value_of(argument, &ARCHITECTURE, &mut rest) {
                self.defines.extend(architecture(value));
            } else if let Some(value) = value_of(argument, &RESPONSE, &mut rest)
                && depth < RESPONSE_DEPTH
            {
                let text = read_text(&folder.join(value)).unwrap_or_default();
                let inner: Vec<String> = shlex::Shlex::new(&text).collect();
                self.add(&inner, folder, depth + 1);
            }
        }
    }
}

/// The spellings of one option. Those that end in a letter may have their value in the next
/// argument.
type Spellings = [&'static str];

const INCLUDE: [&str; 5] = [
    "-I",
    "-isystem",
    "--include-path=",
    "-iquote",
    "--include-path",
];
const DEFINE: [&str; 3] = ["-D", "--define-macro=", "--define-macro"];
const ARCHITECTURE: [&str; 9] = [
    "-arch=",
    "-arch",
    "--gpu-architecture=",
    "--gpu-architecture",
    "-gencode=",
    "-gencode",
    "--generate-code=",
    "--cuda-gpu-arch=",
    "--offload-arch=",
];
const RESPONSE: [&str; 4] = ["@", "--options-file=", "--options-file", "-optf"];

/// The value of an argument that is one of these options.
fn value_of<'a>(
    argument: &'a str,
    spellings: &Spellings,
    rest: &mut std::slice::Iter<'a, String>,
) -> Option<&'a str> {
    if spellings.contains(&argument) {
        return rest.next().map(String::as_str);
    }
    let spelling = spellings
        .iter()
        .find(|spelling| argument.starts_with(**spelling))?;
    argument
        .strip_prefix(spelling)
        .filter(|value| !value.is_empty())
}

/// `NAME` or `NAME=TEXT`, as after `-D`.
pub(crate) fn defined(text: &str) -> (String, String) {
    let (name, value) = text.split_once('=').unwrap_or((text, "1"));
    (name.to_owned(), value.to_owned())
}

/// The macro that says for which architecture device code is compiled: 900 is `sm_90`.
const ARCHITECTURE_MACRO: &str = "__CUDA_ARCH__";
/// The prefix of the macros that a compiler defines for an architecture.
const ARCHITECTURE_MACRO_STEM: &str = "__CUDA_ARCH_";

/// The macros of an architecture as compilers name it: `sm_90a`, `arch=compute_90a,code=sm_90a`.
pub(crate) fn architecture(text: &str) -> Vec<(String, String)> {
    let named = text
        .split([',', '='])
        .find_map(|part| part.strip_prefix("sm_").or(part.strip_prefix("compute_")));
    let Some(named) = named else {
        return Vec::new();
    };
    let digits = named.trim_end_matches(['a', 'f']);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Vec::new();
    }
    let value = format!("{digits}0");
    let mut macros = vec![(ARCHITECTURE_MACRO.to_owned(), value.clone())];
    if named.ends_with('a') {
        macros.push((format!("__CUDA_ARCH_FEAT_SM{digits}_ALL"), "1".to_owned()));
        macros.push(("__CUDA_ARCH_SPECIFIC__".to_owned(), value.clone()));
    }
    if named.ends_with(['a', 'f']) {
        macros.push(("__CUDA_ARCH_FAMILY_SPECIFIC__".to_owned(), value));
    }
    macros
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_folders_macros_and_the_architecture_are_read_from_a_command_line() {
        let line = "nvcc -Iinc -I /abs -isystem=x -DN=4 -D FLAG -gencode arch=compute_90a,code=sm_90a -c a.cu";
        let arguments: Vec<String> = shlex::Shlex::new(line).collect();
        let flags = Flags::of_arguments(&arguments, Path::new("/project"));
        assert_eq!(
            flags.include.get(..2),
            Some(&["/project/inc".into(), "/abs".into()][..])
        );
        let names: Vec<(&str, &str)> = flags
            .defines
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        assert_eq!(
            names,
            [
                ("N", "4"),
                ("FLAG", "1"),
                ("__CUDA_ARCH__", "900"),
                ("__CUDA_ARCH_FEAT_SM90_ALL", "1"),
                ("__CUDA_ARCH_SPECIFIC__", "900"),
                ("__CUDA_ARCH_FAMILY_SPECIFIC__", "900"),
            ]
        );
    }

    #[test]
    fn code_for_several_architectures_is_for_none_of_them() {
        let of = |line: &str| {
            let arguments: Vec<String> = shlex::Shlex::new(line).collect();
            Flags::of_arguments(&arguments, Path::new("/project")).defines
        };
        let two =
            "nvcc -DN -gencode arch=compute_80,code=sm_80 -gencode arch=compute_90a,code=sm_90a";
        assert_eq!(of(two), [("N".to_owned(), "1".to_owned())]);
        let same =
            "nvcc -gencode arch=compute_80,code=sm_80 -gencode arch=compute_80,code=compute_80";
        assert_eq!(of(same).len(), 2);
        assert_eq!(of("nvcc -arch=sm_120f").len(), 2);
    }
}
