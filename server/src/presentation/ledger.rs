//! The resources of a streaming multiprocessor that a kernel takes, line by line.

use cute_analysis::{Analysis, Budget, LaunchBounds, RegisterRole, SharedCost};
use cute_hardware::multiprocessor::{Multiprocessor, REGISTERS};

use super::cost;
use super::number::{counted, grouped};

/// The ledger of a kernel; `line_of` gives the line of a byte, from 1.
pub fn lines(
    analysis: &Analysis,
    budget: &Budget,
    machine: Multiprocessor,
    line_of: &dyn Fn(usize) -> usize,
) -> Vec<String> {
    let mut lines: Vec<String> = budget
        .shared
        .iter()
        .flat_map(|object| shared(object, machine))
        .collect();
    if let Some((registers, at)) = budget.peak {
        lines.push(format!(
            "fragments         hold {}, the most at line {}",
            counted(registers, "register", "registers"),
            line_of(at.start)
        ));
        for fragment in &budget.fragments {
            lines.push(format!(
                "  {:<14}{:>9}    {} {}",
                fragment.name,
                grouped(fragment.cost.registers),
                grouped(fragment.cost.elements),
                fragment.cost.element
            ));
        }
    }
    lines.extend(register_file(budget));
    lines.extend(tensor_memory(budget, machine));
    for line in cost::launch_lines(budget) {
        lines.push(format!("launch            {line}"));
    }
    if let Some(bounds) = budget.launch_bounds {
        let blocks = bounds
            .blocks
            .map(|blocks| format!(", {} per multiprocessor", counted(blocks, "CTA", "CTAs")))
            .unwrap_or_default();
        lines.push(format!(
            "launch bounds     at most {} threads{blocks}: at most {} registers per thread",
            grouped(bounds.threads),
            bounds.registers()
        ));
    }
    if let Some(line) = cost::occupancy_line(budget, Some(machine)) {
        lines.push(format!("residency         {line}"));
    }
    for (byte, line) in cost::lines_in(analysis, budget) {
        lines.push(format!("line {:<13}{line}", line_of(byte)));
    }
    lines
}

/// The shares of the warp groups in the registers of their CTA.
fn register_file(budget: &Budget) -> Option<String> {
    if budget.roles.is_empty() {
        return None;
    }
    let each = |role: &RegisterRole| match role.warp_groups {
        Some(groups) => format!(
            "{} of {}",
            counted(groups, "warp group", "warp groups"),
            role.registers
        ),
        None => role.registers.to_string(),
    };
    let roles: Vec<String> = budget.roles.iter().map(each).collect();
    let roles = roles.join(" and ");
    if budget.launch_bounds.and_then(LaunchBounds::obeys_roles) == Some(false) {
        return Some(format!("setmaxnreg        {roles}, ignored by ptxas"));
    }
    Some(match budget.registers_of_roles() {
        Some(sum) => format!(
            "register file     {} of {} registers: {roles}",
            grouped(sum),
            grouped(REGISTERS)
        ),
        None => format!("setmaxnreg        {roles}"),
    })
}

fn shared(object: &SharedCost, machine: Multiprocessor) -> Vec<String> {
    let kind = if object.is_dynamic {
        "dynamic"
    } else {
        "static"
    };
    let size = match &object.size {
        Ok(size) => *size,
        Err(reason) => {
            return vec![format!(
                "shared memory     unknown: {} ({kind}), {reason}",
                object.name
            )];
        }
    };
    let mut lines = vec![format!(
        "shared memory     {} of {} B: {} ({kind})",
        grouped(size),
        grouped(machine.shared_of_a_cta),
        object.name
    )];
    let row = |name: &str, bytes: i64, note: &str| {
        format!("  {name:<14}{:>9}    {note}", grouped(bytes))
            .trim_end()
            .to_owned()
    };
    for part in &object.buffers {
        let note = match part.stages {
            Some(stages) if stages > 1 => {
                format!("{stages} stages of {}", grouped(part.bytes / stages))
            }
            _ => String::new(),
        };
        lines.push(row(&part.name, part.bytes, &note));
    }
    if !object.barriers.is_empty() {
        let bytes = object.barriers.iter().map(|part| part.bytes).sum();
        let names: Vec<&str> = object
            .barriers
            .iter()
            .map(|part| part.name.as_str())
            .collect();
        lines.push(row("barriers", bytes, &names.join(", ")));
    }
    if object.padding > 0 {
        lines.push(row("padding", object.padding, ""));
    }
    if let Some(most) = object.most_stages(machine.shared_of_a_cta) {
        let word = if most == 1 {
            "stage fits"
        } else {
            "stages fit"
        };
        lines.push(format!("  at most {most} {word}"));
    }
    lines
}

fn tensor_memory(budget: &Budget, machine: Multiprocessor) -> Vec<String> {
    if budget.regions.is_empty() && budget.allocated.is_none() {
        return Vec::new();
    }
    let mut lines = vec![match budget.allocated {
        Some(columns) => format!(
            "tensor memory     {columns} of {} columns allocated",
            machine.columns
        ),
        None => "tensor memory".to_owned(),
    }];
    for region in &budget.regions {
        let at = match &region.base {
            Some((base, 0)) => format!("at {base}"),
            Some((base, columns)) => format!("at {base} + {columns}"),
            None => String::new(),
        };
        lines.push(
            format!(
                "  {:<14}{:>9}    {at}",
                region.name,
                grouped(region.columns)
            )
            .trim_end()
            .to_owned(),
        );
    }
    for (one, other) in budget.overlaps() {
        lines.push(format!("  {} and {} overlap", one.name, other.name));
    }
    lines
}
