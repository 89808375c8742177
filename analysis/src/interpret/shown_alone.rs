//! The part of a file that is evaluated first, where no other file includes it and an earlier version is known: up to the
//! instances that are shown, and nothing that is only supposed.

use std::path::Path;
use std::sync::Arc;

use super::Interpreter;
use super::goal::Goal;
use super::ids::FunctionId;
use super::instantiable::{Instantiables, Kind};
use super::islands::Islands;
use super::roots::Roots;
use crate::hash::{HashMap, HashSet};
use crate::limits;
use crate::options::Options;
use crate::output::Output;
use crate::shown::Needed;
use crate::sources::SourceFile;

/// The instances of functions that are still missing, by the names of the functions.
type Instances = HashMap<Arc<str>, Needed>;

impl<'u> Interpreter<'u> {
    /// Evaluates a file up to these instances of its functions. Where they are not made any more, or are not functions
    /// outside of classes, the results lack what is shown.
    pub(super) fn interpret_shown(
        mut self,
        focus: &'u SourceFile,
        instances: &Instances,
        options: &Options,
    ) -> Output {
        let all = Instantiables::of(focus, self.program.expanded_functions());
        let islands = Islands::of(focus, &self.program, &self.settings.directives, options);
        let of_islands =
            islands.and_then(|islands| Roots::of_islands(&self.program, focus, &islands));
        let parts = of_islands.unwrap_or_else(|| vec![Roots::of_file(&self.program, focus)]);
        let mut missing: HashSet<Arc<str>> = instances.keys().cloned().collect();
        let steps = self.budget.steps;
        let mut total = Output::default();
        for mut roots in parts {
            let own = self.own_instances(&roots, instances, &all);
            if own.is_empty() {
                continue;
            }
            roots.put_in(options.order);
            self.budget.steps = steps;
            self.goal = Goal::of(&own, &all, &Output::default());
            self.evaluate(&roots);
            if self.goal.is_reached() {
                missing.retain(|name| !own.contains_key(name));
            }
            self.return_to_goal();
            self.count_costs();
            total.append(self.leave_island());
        }
        if !missing.is_empty() {
            total.makers.note_lack();
        }
        self.recorder.output = total;
        self.finish()
    }

    /// Those of the instances that are of functions of a part of the file, outside of classes.
    fn own_instances(
        &self,
        roots: &Roots<'_>,
        instances: &Instances,
        all: &Instantiables,
    ) -> Instances {
        let named = roots.functions.iter().filter_map(|id| self.name_of(*id));
        let named: HashSet<&str> = named.collect();
        let is_function = |name: &str| {
            all.named(name)
                .all(|entry| entry.kind == Kind::Function && all.is_outermost(entry))
        };
        let own = instances
            .iter()
            .filter(|(name, _)| named.contains(&***name) && is_function(name));
        own.map(|(name, needed)| {
            let needed = Needed {
                count: needed.count,
                deferred: None,
            };
            (Arc::clone(name), needed)
        })
        .collect()
    }

    fn name_of(&self, id: FunctionId) -> Option<&str> {
        let found = self.program.functions.get(id)?;
        Some(&found.function.name.name)
    }

    /// Notes that a function is evaluated with its template parameters open.
    pub(super) fn note_open(&mut self, id: FunctionId) {
        if let Some(found) = self.program.functions.get(id) {
            let makers = &mut self.recorder.output.makers;
            makers.note_open(&found.function.name.name);
        }
    }

    /// Notes who made the instances of a part of a file that no other includes, where its next version costs enough steps,
    /// with those for supposed arguments, for a part of it to come first.
    pub(super) fn note_makers(&mut self, path: &Path, steps: usize) {
        let apart = std::mem::take(&mut self.budget.steps_apart);
        if steps + apart >= limits::STEPS_AT_ONCE && !self.goal.is_set() {
            let output = &mut self.recorder.output;
            output.makers.add_alone(path, &output.facts);
        }
    }
}
