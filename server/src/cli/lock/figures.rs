//! Resources of kernels and costs of their lines, as stored figures.

use cute_analysis::{Analysis, Budget, Cost};

use super::Entry;
use crate::presentation::cost;
use crate::presentation::number::extents;

/// The resources of a multiprocessor that each kernel takes; with its place.
pub(super) fn budgets(analysis: &Analysis) -> Vec<(String, Entry, usize)> {
    let budgets = analysis.budgets.iter();
    budgets
        .map(|budget| {
            let name = format!(
                "budget {}{}",
                budget.function,
                of(budget.instance.as_deref())
            );
            (name, budget_figures(budget), budget.span.start)
        })
        .collect()
}

fn budget_figures(budget: &Budget) -> Entry {
    let mut entry = Entry::new();
    let mut add = |name: String, figure: Option<i64>| {
        if let Some(figure) = figure {
            entry.insert(name, figure.to_string());
        }
    };
    for object in &budget.shared {
        let name = &object.name;
        add(
            format!("bytes of {name}"),
            object.size.as_ref().ok().copied(),
        );
        for part in object.buffers.iter().chain(&object.barriers) {
            add(format!("bytes of {name}.{}", part.name), Some(part.bytes));
            add(format!("stages of {name}.{}", part.name), part.stages);
        }
    }
    add("bytes of shared memory".to_owned(), budget.shared_bytes());
    add(
        "registers".to_owned(),
        budget.peak.map(|(registers, _)| registers),
    );
    add(
        "registers allowed".to_owned(),
        Some(budget.registers_allowed()),
    );
    for region in &budget.regions {
        add(format!("columns of {}", region.name), Some(region.columns));
    }
    add("columns allocated".to_owned(), budget.allocated);
    add("threads".to_owned(), budget.threads());
    let occupancy = cost::multiprocessor(budget).and_then(|machine| budget.occupancy(machine));
    add(
        "CTAs of a multiprocessor".to_owned(),
        occupancy.map(|found| found.ctas),
    );
    for launch in &budget.launches {
        if let Some(cluster) = launch.cluster {
            entry.insert("cluster".to_owned(), extents(&cluster));
        }
    }
    entry
}

/// The costs of each line, under the word that they belong to; with its place.
pub(super) fn costs(analysis: &Analysis, text: &str) -> Vec<(String, Entry, usize)> {
    let notes = analysis.notes.iter();
    notes
        .filter(|note| !matches!(note.cost, Cost::Shared(_)))
        .map(|note| {
            let function = note.function.as_ref();
            let function = function.map(|name| format!("{name}::")).unwrap_or_default();
            let word = note.anchor.text(text);
            let name = format!("cost {function}{word}{}", of(note.instance.as_deref()));
            let figures = cost::figures(&note.cost).into_iter();
            let entry = figures
                .map(|(name, figure)| (name.to_owned(), figure))
                .collect();
            (name, entry, note.anchor.start)
        })
        .collect()
}

fn of(instance: Option<&str>) -> String {
    instance
        .map(|instance| format!(" [{instance}]"))
        .unwrap_or_default()
}
