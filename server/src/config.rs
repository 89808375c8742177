//! The settings a user can make, under the section `cute-analyzer`.

use std::collections::BTreeMap;

use cute_analysis::{Assumption, Judged};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use crate::choices::Preferred;
use crate::presentation::hints::label::Class;
use crate::run::device::Device;

/// The section's name in `workspace/configuration` and `didChangeConfiguration`.
pub const SECTION: &str = "cute-analyzer";

/// The settings. Unknown keys are the client's own and ignored.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Config {
    /// Facts about symbols, as after `--assume`: `m=5120`, `ldA % 8 == 0`, `K >= 64`.
    pub assume: Vec<String>,
    /// Inlay hints.
    pub hints: Hints,
    /// Hovers.
    pub hover: Hovers,
    /// Findings shown as diagnostics.
    pub diagnostics: Diagnostics,
    /// Plain loads and stores.
    pub accesses: Accesses,
    /// Lenses over functions with several instances, and over layouts that a comment orders to be run.
    pub lenses: Switch,
    /// Runs of layouts on a machine.
    pub run: Run,
    /// Instances of functions.
    pub instances: Instances,
    /// As `instances.preferred`, which comes before it: its earlier name.
    pub shown: BTreeMap<String, String>,
}

/// The shown instances.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Instances {
    /// The instance of a function that is shown first, by function, or by file and function: the clicks that an editor
    /// remembers.
    pub preferred: BTreeMap<String, Preferred>,
}

/// Layouts shown in the text.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "independent switches, by the names that users write"
)]
#[serde(default, rename_all = "camelCase")]
pub struct Hints {
    /// Whether they are shown.
    pub enable: bool,
    /// Whether layouts have one.
    pub layouts: bool,
    /// Whether tensors have one.
    pub tensors: bool,
    /// Whether swizzles have one.
    pub swizzles: bool,
    /// Whether shapes, strides and tiles have one.
    pub tuples: bool,
    /// Whether tiled MMAs and tiled copies have one.
    pub tiled: bool,
    /// Whether MMA atoms and copy atoms have one.
    pub atoms: bool,
    /// Whether copies by TMA and their atoms have one.
    pub tma: bool,
    /// Whether integers have one that a function of CuTe computes.
    pub constants: bool,
    /// Whether plain loads and stores have one.
    pub accesses: bool,
    /// Longest label, in characters; the tooltip always has all of it. 0 means the whole value,
    /// as the compiler would print it.
    pub max_length: usize,
}

impl Default for Hints {
    fn default() -> Self {
        // As long as VS Code shows of a hint.
        Self {
            enable: true,
            layouts: true,
            tensors: true,
            swizzles: true,
            tuples: true,
            tiled: true,
            atoms: true,
            tma: true,
            constants: true,
            accesses: false,
            max_length: 43,
        }
    }
}

impl Hints {
    /// Whether hints of a class are shown.
    pub fn shows(&self, class: Class) -> bool {
        self.enable
            && match class {
                Class::Layout => self.layouts,
                Class::Tensor => self.tensors,
                Class::Swizzle => self.swizzles,
                Class::Tuple => self.tuples,
                Class::Tiled => self.tiled,
                Class::Atom => self.atoms,
                Class::Tma => self.tma,
                Class::Constant => self.constants,
                Class::Access => self.accesses,
            }
    }
}

/// Hovers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Hovers {
    /// Whether anything is shown.
    pub enable: bool,
    /// Whether pictures are, in editors that can.
    pub pictures: bool,
    /// The condition under which findings are shown.
    #[serde(deserialize_with = "when")]
    pub findings: When,
}

/// The condition under which something is shown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// Unless the client's own hovers show diagnostics, which say the same.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// Reads a [`When`], also as the `true`, `false` and `null` that it was before it had names.
fn when<'de, D: Deserializer<'de>>(value: D) -> Result<When, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Written {
        Named(When),
        Switch(Option<bool>),
    }
    Ok(match Written::deserialize(value)? {
        Written::Named(when) => when,
        Written::Switch(None) => When::Auto,
        Written::Switch(Some(true)) => When::Always,
        Written::Switch(Some(false)) => When::Never,
    })
}

impl Default for Hovers {
    fn default() -> Self {
        Self {
            enable: true,
            pictures: true,
            findings: When::Auto,
        }
    }
}

/// The output of findings.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Diagnostics {
    /// Whether they are shown.
    pub enable: bool,
    /// Whether copies of CuTe are judged, too: bank conflicts, and uncoalesced accesses.
    pub memory: bool,
    /// The location of the rules' pages, as the beginning of a URI that `over-covers.md` completes: the code of a
    /// diagnostic links there. Empty means no link.
    pub rule_pages: String,
}

impl Default for Diagnostics {
    fn default() -> Self {
        Self {
            enable: true,
            memory: false,
            rule_pages: String::new(),
        }
    }
}

/// Plain loads and stores of kernels: through pointers and arrays, without CuTe.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Accesses {
    /// Whether they are looked at: their offsets, hovers and findings.
    pub enable: bool,
    /// Whether their cost for a warp is judged: bank conflicts and uncoalesced sectors.
    pub costs: bool,
}

impl Default for Accesses {
    fn default() -> Self {
        Self {
            enable: true,
            costs: true,
        }
    }
}

/// Runs of layouts on request.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Run {
    /// Whether anything may be run.
    pub enable: bool,
    /// The device: `auto`, `cpu` or `cuda`.
    pub device: Device,
    /// The time limit of one run, in seconds.
    pub time_limit: u64,
    /// Whether answers are added to `.cute-analyzer-runs.jsonl` in the first folder of the workspace.
    pub history: bool,
}

impl Default for Run {
    fn default() -> Self {
        Self {
            enable: true,
            device: Device::Auto,
            time_limit: 60,
            history: false,
        }
    }
}

/// Something that is either shown or not.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default, rename_all = "camelCase")]
pub struct Switch {
    /// Whether it is shown.
    pub enable: bool,
}

impl Default for Switch {
    fn default() -> Self {
        Self { enable: true }
    }
}

impl Config {
    /// Reads the section's value. `null` is the default.
    ///
    /// # Errors
    /// A value of the wrong type, named with its place, as text for the user.
    ///
    /// # Example
    /// ```
    /// use cute_analyzer::config::Config;
    /// use serde_json::json;
    ///
    /// let config = Config::from_json(json!({"assume": ["m=5120"], "hints": {"maxLength": 40}}));
    /// assert_eq!(config.map(|config| config.hints.max_length), Ok(40));
    /// ```
    pub fn from_json(value: Value) -> Result<Self, String> {
        if value.is_null() {
            return Ok(Self::default());
        }
        serde_json::from_value(value).map_err(|error| format!("setting `{SECTION}`: {error}"))
    }

    /// The accesses whose cost is judged.
    pub fn judged(&self) -> Judged {
        if self.diagnostics.memory {
            Judged::All
        } else if self.accesses.costs {
            Judged::Plain
        } else {
            Judged::Nothing
        }
    }

    /// The assumptions, and for each text that is not an assumption the reason.
    pub fn assumptions(&self) -> (Vec<Assumption>, Vec<String>) {
        let mut assumptions = Vec::new();
        let mut mistakes = Vec::new();
        for text in &self.assume {
            match text.parse() {
                Ok(assumption) => assumptions.push(assumption),
                Err(reason) => {
                    mistakes.push(format!("setting `{SECTION}.assume`: `{text}`: {reason}"));
                }
            }
        }
        (assumptions, mistakes)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn absent_settings_have_their_defaults_and_foreign_keys_are_ignored() {
        assert_eq!(Config::from_json(Value::Null), Ok(Config::default()));
        let foreign = json!({"server": {"path": "x"}, "trace": "off"});
        assert_eq!(Config::from_json(foreign), Ok(Config::default()));
    }

    #[test]
    fn the_extension_describes_every_setting_with_its_default() {
        let manifest = concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/../editors/vscode/package.json"
        );
        let manifest: Value =
            serde_json::from_str(&std::fs::read_to_string(manifest).unwrap()).unwrap();
        let described = &manifest["contributes"]["configuration"][0]["properties"];
        let mut waiting = vec![(SECTION.to_owned(), json!(Config::default()))];
        let mut leaves = 0;
        while let Some((name, value)) = waiting.pop() {
            if let Value::Object(group) = &value
                && !group.is_empty()
            {
                let inner = group.iter();
                waiting.extend(inner.map(|(key, value)| (format!("{name}.{key}"), value.clone())));
            } else {
                leaves += 1;
                assert_eq!(described[&name]["default"], value, "{name}");
            }
        }
        assert_eq!(
            described.as_object().map(serde_json::Map::len),
            Some(leaves)
        );
    }

    #[test]
    fn what_a_setting_was_called_before_still_holds() {
        let read = |value| Config::from_json(json!({"hover": {"findings": value}}));
        for (before, now) in [
            (Value::Null, "auto"),
            (json!(true), "always"),
            (json!(false), "never"),
        ] {
            let (before, now) = (read(before), read(json!(now)));
            assert!(before.is_ok(), "{before:?}");
            assert_eq!(before, now);
        }
        assert!(read(json!("sometimes")).is_err());
    }

    #[test]
    fn what_is_no_assumption_is_named_and_the_others_hold() {
        let config = Config::from_json(json!({"assume": ["m=5120", "m is large"]}));
        let (assumptions, mistakes) = config.expect("a list of texts").assumptions();
        assert_eq!(assumptions.len(), 1);
        assert!(
            mistakes
                .iter()
                .all(|mistake| mistake.contains("m is large")),
            "{mistakes:?}"
        );
        assert_eq!(mistakes.len(), 1);
    }

    #[test]
    fn a_value_of_the_wrong_type_is_named() {
        let error = Config::from_json(json!({"assume": 3})).expect_err("must be refused");
        assert!(
            error.contains("cute-analyzer") && error.contains("invalid type"),
            "{error}"
        );
    }
}
