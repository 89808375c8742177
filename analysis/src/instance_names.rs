//! Names of instances of functions: only where a function has several, by the nearest call that distinguishes them.

use std::sync::Arc;

use crate::fact::Fact;
use crate::hash::{HashMap, HashSet};

/// The first word of the name of a supposed instance: no source makes it.
pub const SUPPOSED: &str = "supposed";

/// The way to name an instance of a function.
#[derive(Debug, Clone, Copy)]
enum Naming {
    /// Not at all: there is no other.
    No,
    /// By the nearest call.
    Nearest,
    /// By all calls that led to it.
    Whole,
}

/// Names of the instances of each function of a file.
#[derive(Debug, Default)]
pub(crate) struct InstanceNames(HashMap<Arc<str>, Naming>);

impl InstanceNames {
    /// Of the functions that facts are about.
    pub(crate) fn of(facts: &[Fact]) -> Self {
        let mut labels: HashMap<&Arc<str>, HashSet<&str>> = HashMap::default();
        for fact in facts {
            if let (Some(function), Some(instance)) = (&fact.function, &fact.instance) {
                labels.entry(function).or_default().insert(instance);
            }
        }
        let namings = labels.into_iter();
        Self(
            namings
                .map(|(function, all)| (Arc::clone(function), naming(&all)))
                .collect(),
        )
    }

    /// Puts names on instances, each with its function.
    pub(crate) fn put_on<'a>(
        &self,
        instances: impl Iterator<Item = (Option<&'a str>, &'a mut Option<Arc<str>>)>,
    ) {
        // Facts about an instance share its name.
        let mut nearest: HashMap<Arc<str>, Arc<str>> = HashMap::default();
        for (function, instance) in instances {
            let Some(label) = instance.as_ref() else {
                continue;
            };
            match self.naming(function) {
                Naming::Whole => {}
                Naming::Nearest => {
                    let short = nearest
                        .entry(Arc::clone(label))
                        .or_insert_with(|| nearest_call(label).into());
                    *instance = Some(Arc::clone(short));
                }
                Naming::No => *instance = None,
            }
        }
    }

    /// Puts a name on one instance.
    pub(crate) fn put_on_one(&self, function: Option<&str>, instance: &mut Option<String>) {
        if let Some(label) = instance.as_mut() {
            match self.naming(function) {
                Naming::Whole => {}
                Naming::Nearest => label.truncate(nearest_call(label).len()),
                Naming::No => *instance = None,
            }
        }
    }

    fn naming(&self, function: Option<&str>) -> Naming {
        let naming = function.and_then(|function| self.0.get(function));
        naming.copied().unwrap_or(Naming::No)
    }
}

fn naming(labels: &HashSet<&str>) -> Naming {
    if labels.iter().any(|label| label.starts_with(SUPPOSED)) {
        return Naming::Whole;
    }
    if labels.len() < 2 {
        return Naming::No;
    }
    let nearest: HashSet<&str> = labels.iter().map(|label| nearest_call(label)).collect();
    if nearest.len() == labels.len() {
        Naming::Nearest
    } else {
        Naming::Whole
    }
}

/// The separator between the calls in the name of an instance.
pub(crate) const FROM: &str = ", from ";

/// The first part of the name of an instance, `f, line 1, from g, line 2`: the call that makes it.
pub fn nearest_call(label: &str) -> &str {
    label.split_once(FROM).map_or(label, |(nearest, _)| nearest)
}

/// The file of the outermost call in the name of an instance, `f, line 1, from g, a.cu:2`; nothing where it is the file that
/// is shown.
///
/// ```
/// use cute_analysis::outermost_file;
/// assert_eq!(outermost_file("f, line 1, from g, run_hdim64.cu:20"), Some("run_hdim64.cu"));
/// assert_eq!(outermost_file("f, line 1, from g, line 2"), None);
/// ```
pub fn outermost_file(label: &str) -> Option<&str> {
    let outermost = label.rsplit_once(FROM).map_or(label, |(_, last)| last);
    let place = outermost
        .rsplit_once(", ")
        .map_or(outermost, |(_, place)| place);
    Some(place.rsplit_once(':')?.0)
}
