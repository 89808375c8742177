//! `cute-analyzer.toml`: the settings of a project for its sources, for the editor and the command line alike.
//!
//! The nearest file of this name is taken, in the folder of the process or of the workspace or in one
//! above it. Its JSON schema is `docs/cute-analyzer.schema.json`.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cute_analysis::{Assumption, Finding, Rule, Severity};
use serde::Deserialize;
use toml::Spanned;

use crate::project::{Asked, Flags, architecture, defined};

/// The name of the file.
pub const NAME: &str = "cute-analyzer.toml";

/// The settings of a project for its sources.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ProjectFile {
    /// Facts about run-time values, as after `--assume`.
    pub assume: Vec<Assumption>,
    /// Folders of included files, and macros.
    pub flags: Flags,
    /// The levels of findings, by rule.
    pub rules: Rules,
    /// Instances of templates that are evaluated besides those of the sources.
    pub instances: Vec<Asked>,
    /// The instance of a function that is shown first, by function.
    pub shown: BTreeMap<String, String>,
}

/// The levels of findings, by rule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Rules(BTreeMap<String, Level>);

/// The level of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Level {
    Off,
    Information,
    Warning,
    Error,
}

/// The file as it is written. A key that does not exist is a mistake.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Written {
    assume: Vec<String>,
    include: Vec<PathBuf>,
    define: Vec<String>,
    arch: Option<String>,
    instances: Vec<Spanned<String>>,
    shown: BTreeMap<String, String>,
    rules: BTreeMap<String, Level>,
}

/// The list of instances alone, for where it is.
#[derive(Debug, Deserialize)]
struct ListOfInstances {
    instances: Spanned<Vec<String>>,
}

/// The position of the list of instances in the text of a project file, its brackets included.
pub fn instance_list(text: &str) -> Option<Range<usize>> {
    let list: ListOfInstances = toml::from_str(text).ok()?;
    Some(list.instances.span())
}

impl ProjectFile {
    /// The nearest project file in a folder or one above it; the default where there is none.
    ///
    /// # Errors
    /// The error: the file cannot be read or is not valid, with its path, as text for the user.
    pub fn nearest(folder: &Path) -> Result<Self, String> {
        let found = folder
            .ancestors()
            .map(|folder| folder.join(NAME))
            .find(|file| file.is_file());
        let Some(file) = found else {
            return Ok(Self::default());
        };
        let mistake = |reason: String| format!("{}: {reason}", file.display());
        let text = std::fs::read_to_string(&file).map_err(|error| mistake(error.to_string()))?;
        let folder = file.parent().unwrap_or(folder);
        Self::parse(&text, folder).map_err(mistake)
    }

    /// Reads the text of a project file; relative folders are those of `folder`.
    ///
    /// # Errors
    /// The reason why it is not valid, as text for the user.
    ///
    /// # Example
    /// ```
    /// use cute_analyzer::project_file::ProjectFile;
    ///
    /// let text = "assume = ['ldA % 8 == 0']\ninclude = ['include']\n[rules]\nover-covers = 'off'\n";
    /// let file = ProjectFile::parse(text, "/kernels".as_ref())?;
    /// assert_eq!(file.flags.include, [std::path::PathBuf::from("/kernels/include")]);
    /// # Ok::<(), String>(())
    /// ```
    pub fn parse(text: &str, folder: &Path) -> Result<Self, String> {
        let written: Written = toml::from_str(text).map_err(|error| error.to_string())?;
        let mut assume = Vec::new();
        for fact in written.assume {
            let read = fact
                .parse()
                .map_err(|error| format!("assume `{fact}`: {error}"))?;
            assume.push(read);
        }
        let include = written
            .include
            .iter()
            .map(|path| folder.join(path))
            .collect();
        let mut defines: Vec<_> = written.define.iter().map(|text| defined(text)).collect();
        if let Some(arch) = &written.arch {
            let found = architecture(arch);
            if found.is_empty() {
                return Err(format!("arch `{arch}`: no such architecture"));
            }
            defines.extend(found);
        }
        let file: Arc<str> = text.into();
        let mut instances = Vec::new();
        for instance in &written.instances {
            let asked = Asked::new(
                &folder.join(NAME),
                &file,
                instance.span(),
                instance.get_ref(),
            );
            let mistake = || {
                format!(
                    "instances: `{}` is not a template with arguments",
                    instance.get_ref()
                )
            };
            instances.push(asked.ok_or_else(mistake)?);
        }
        for name in written.rules.keys() {
            if !Rule::is_known(name) {
                let nearest = Rule::most_like(name)
                    .map(|rule| format!("; the nearest is `{}`", rule.name))
                    .unwrap_or_default();
                return Err(format!("rules: `{name}` is not a rule{nearest}"));
            }
        }
        Ok(Self {
            assume,
            flags: Flags {
                include,
                defines,
                python: None,
            },
            rules: Rules(written.rules),
            instances,
            shown: written.shown,
        })
    }
}

impl Rules {
    /// The findings with the severities that the project wants, without those that it does not want.
    #[must_use]
    pub fn applied(&self, findings: Vec<Finding>) -> Vec<Finding> {
        if self.0.is_empty() {
            return findings;
        }
        let wanted = |mut finding: Finding| {
            finding.severity = match self.0.get(finding.rule) {
                None => return Some(finding),
                Some(Level::Off) => return None,
                Some(Level::Information) => Severity::Information,
                Some(Level::Warning) => Severity::Warning,
                Some(Level::Error) => Severity::Error,
            };
            Some(finding)
        };
        findings.into_iter().filter_map(wanted).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Result<ProjectFile, String> {
        ProjectFile::parse(text, Path::new("/kernels"))
    }

    #[test]
    fn folders_are_relative_to_the_file_and_macros_as_after_d() {
        let file = parsed("include = ['a', '/b']\ndefine = ['ARCH=90', 'FAST']").unwrap();
        let folders: Vec<_> = ["/kernels/a", "/b"].map(PathBuf::from).into();
        assert_eq!(file.flags.include, folders);
        let macros = [("ARCH", "90"), ("FAST", "1")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        assert_eq!(file.flags.defines, macros);
    }

    #[test]
    fn what_makes_no_sense_is_named() {
        for (text, named) in [
            ("assume = ['m is large']", "m is large"),
            ("asume = []", "asume"),
            ("[rules]\nover-covers = 'loud'", "loud"),
            (
                "[rules]\nover-cover = 'off'",
                "rules: `over-cover` is not a rule; the nearest is `over-covers`",
            ),
            ("include = 3", "include"),
            ("][", "expected"),
            ("arch = 'sm_9x'", "sm_9x"),
            ("instances = ['tile<']", "tile<"),
            ("instances = ['tile']", "tile"),
        ] {
            let mistake = parsed(text).expect_err(text);
            assert!(mistake.contains(named), "{text}: {mistake}");
        }
    }

    /// The schema with the names of all rules.
    fn with_rules(schema: &str) -> String {
        let (before, rest) = schema.split_once("\"propertyNames\"").unwrap();
        let (head, rest) = rest.split_once('[').unwrap();
        let (_, behind) = rest.split_once(']').unwrap();
        let names: Vec<String> = Rule::all()
            .iter()
            .map(|rule| format!("\n          \"{}\"", rule.name))
            .collect();
        let names = names.join(",");
        format!("{before}\"propertyNames\"{head}[{names}\n        ]{behind}")
    }

    #[test]
    fn the_documentation_and_the_schema_are_of_this_file() {
        let documents = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
        let page = std::fs::read_to_string(documents.join("project-file.md")).unwrap();
        let example = page
            .split("```")
            .find_map(|part| part.strip_prefix("toml\n"))
            .unwrap();
        let file = parsed(example).unwrap();
        assert!(!file.assume.is_empty() && !file.flags.include.is_empty());
        assert!(!file.flags.defines.is_empty() && file.rules != Rules::default());
        assert!(!file.instances.is_empty() && !file.shown.is_empty());
        let path = documents.join("cute-analyzer.schema.json");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            let schema = std::fs::read_to_string(&path).unwrap();
            std::fs::write(&path, with_rules(&schema)).unwrap();
        }
        let schema = std::fs::read_to_string(&path).unwrap();
        let schema: serde_json::Value = serde_json::from_str(&schema).unwrap();
        for (key, of_key) in schema["properties"].as_object().unwrap() {
            let empty = match of_key["type"].as_str() {
                Some("object") => "{}",
                Some("string") => "'sm_90a'",
                _ => "[]",
            };
            assert!(parsed(&format!("{key} = {empty}")).is_ok(), "{key}");
        }
        let names = &schema["properties"]["rules"]["propertyNames"]["enum"];
        let names: Vec<&str> = names
            .as_array()
            .unwrap()
            .iter()
            .filter_map(|it| it.as_str())
            .collect();
        let all: Vec<&str> = Rule::all().iter().map(|rule| rule.name).collect();
        assert_eq!(names, all);
        for level in schema["properties"]["rules"]["additionalProperties"]["enum"]
            .as_array()
            .unwrap()
        {
            assert!(
                parsed(&format!("[rules]\nover-covers = {level}")).is_ok(),
                "{level}"
            );
        }
        for key in example.lines().filter_map(|line| line.split_once(" = ")) {
            let of_table = ["over-covers", "gemm_device"].contains(&key.0);
            let known = schema["properties"].get(key.0).is_some() || of_table;
            assert!(known, "{}", key.0);
        }
    }

    #[test]
    fn the_list_of_instances_is_found() {
        let text = "# instances = [1]\ninstances = [\"tile<64>\"]\n";
        let list = instance_list(text).map(|span| &text[span]);
        assert_eq!(list, Some("[\"tile<64>\"]"));
        assert_eq!(instance_list("assume = []"), None);
    }

    #[test]
    fn findings_become_what_the_project_wants() {
        let span = tree_sitter_cute::tree::Span::new(0, 1);
        let finding = |rule| Finding::new(rule, Severity::Warning, span, String::new());
        let file = parsed("[rules]\nover-covers = 'off'\nnot-injective = 'error'").unwrap();
        let found = ["over-covers", "not-injective", "rank-mismatch"].map(finding);
        let reported: Vec<_> = file
            .rules
            .applied(found.into())
            .into_iter()
            .map(|finding| (finding.rule, finding.severity))
            .collect();
        let expected = [
            ("not-injective", Severity::Error),
            ("rank-mismatch", Severity::Warning),
        ];
        assert_eq!(reported, expected);
    }

    #[test]
    fn the_nearest_file_counts_and_none_is_none() {
        let scratch = tempfile::tempdir().unwrap();
        let inner = scratch.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(ProjectFile::nearest(&inner), Ok(ProjectFile::default()));
        std::fs::write(scratch.path().join(NAME), "include = ['x']").unwrap();
        let outer = ProjectFile::nearest(&inner).unwrap();
        assert_eq!(outer.flags.include, [scratch.path().join("x")]);
        std::fs::write(scratch.path().join("a").join(NAME), "include = 1").unwrap();
        let mistake = ProjectFile::nearest(&inner).unwrap_err();
        assert!(mistake.contains("cute-analyzer.toml"), "{mistake}");
    }
}
