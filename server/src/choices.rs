//! The instances of functions that are shown first: chosen by a click, for everything or for one file, and in settings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::presentation::instances::Chosen;

/// Instances chosen by clicks.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Choices {
    everywhere: Chosen,
    in_files: BTreeMap<PathBuf, Chosen>,
}

impl Choices {
    /// Chooses an instance of a function, in one file or everywhere; `None` is the first one again. A choice for
    /// everywhere replaces the choices for the function in single files.
    pub fn choose(&mut self, function: &str, instance: Option<String>, file: Option<PathBuf>) {
        let Some(file) = file else {
            for chosen in self.in_files.values_mut() {
                chosen.choose(function, None);
            }
            self.everywhere.choose(function, instance);
            return;
        };
        self.in_files
            .entry(file)
            .or_default()
            .choose(function, instance);
    }

    /// The choice that is valid in a file, over that of the settings.
    pub fn over(&self, mut named: Chosen, file: &Path) -> Chosen {
        named.override_by(&self.everywhere);
        if let Some(chosen) = self.in_files.get(file) {
            named.override_by(chosen);
        }
        named
    }
}

/// A value of `instances.preferred`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Preferred {
    /// The instance of the function that is its key.
    Instance(String),
    /// The key is the end of a file's path; instances by function there.
    InFile(BTreeMap<String, String>),
}

/// Takes over the preferences of settings in a file; those for the file count more than those for all.
pub fn prefer(chosen: &mut Chosen, preferred: &BTreeMap<String, Preferred>, file: &Path) {
    let mut choose = |function: &str, instance: &String| {
        chosen.choose(function, Some(instance.clone()));
    };
    for (function, value) in preferred {
        if let Preferred::Instance(instance) = value {
            choose(function, instance);
        }
    }
    for (path, value) in preferred {
        if let Preferred::InFile(instances) = value
            && file.ends_with(path)
        {
            for (function, instance) in instances {
                choose(function, instance);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_chosen_in_a_file_counts_there_until_it_is_chosen_everywhere() {
        let mut choices = Choices::default();
        let shown = |choices: &Choices, file: &str| {
            let chosen = choices.over(Chosen::default(), Path::new(file));
            chosen.of("gemm").map(str::to_owned)
        };
        choices.choose("gemm", Some("line 1".to_owned()), None);
        choices.choose("gemm", Some("line 2".to_owned()), Some("/a.cu".into()));
        assert_eq!(shown(&choices, "/a.cu").as_deref(), Some("line 2"));
        assert_eq!(shown(&choices, "/b.cu").as_deref(), Some("line 1"));
        choices.choose("gemm", Some("line 3".to_owned()), None);
        assert_eq!(shown(&choices, "/a.cu").as_deref(), Some("line 3"));
    }

    #[test]
    fn settings_of_a_file_are_by_the_end_of_its_path() {
        let preferred = serde_json::from_str(
            r#"{"gemm": "line 1", "src/kernel.h": {"gemm": "line 2"}, "rc/other.h": {"gemm": "line 3"}}"#,
        )
        .unwrap();
        let shown = |file: &str| {
            let mut chosen = Chosen::default();
            prefer(&mut chosen, &preferred, Path::new(file));
            chosen.of("gemm").map(str::to_owned)
        };
        assert_eq!(shown("/project/src/kernel.h").as_deref(), Some("line 2"));
        assert_eq!(shown("/project/src/other.h").as_deref(), Some("line 1"));
    }
}
