//! `run --plan`: the launches on a GPU, printed and not run.

use std::io;
use std::time::Duration;

use cute_runner::job::{Argument, Contents, Job};
use cute_runner::watch::{Limited, Stop};
use serde_json::{Value, json};

use super::asked::Asked;
use super::progress::Progress;
use crate::cli::Session;
use crate::cli::arguments::formats::TableFormat;
use crate::cli::output::{Outcome, complain};

/// Prints the jobs of all experiments.
pub(super) fn show(
    asked: &[Asked],
    format: TableFormat,
    limit: Duration,
    session: &mut Session,
) -> io::Result<Outcome> {
    let mut all = Outcome::Clean;
    for one in asked {
        let progress = Progress::new();
        let watch = Limited::new(&progress, limit);
        let what = one.what.as_ref().map_err(Clone::clone);
        let jobs = what
            .and_then(|what| what.made(&watch).map_err(|stop| stop.to_string()))
            .and_then(|experiment| {
                let jobs = experiment.jobs();
                jobs.map_err(|refusal| Stop::from(refusal).to_string())
            });
        match jobs {
            Ok(jobs) => {
                for job in jobs {
                    match format {
                        TableFormat::Text => session.out.text(&job.to_string())?,
                        TableFormat::Json => session.out.json(&described(&job))?,
                    }
                }
            }
            Err(reason) => {
                complain(&reason);
                all = Outcome::Found;
            }
        }
    }
    Ok(all)
}

/// A job as data: everything but the bytes of its inputs.
fn described(job: &Job) -> Value {
    let buffers: Vec<Value> = job
        .buffers
        .iter()
        .map(|buffer| {
            let filled = match buffer.contents {
                Contents::Filled(_, value) => json!(value),
                Contents::Bytes(_) => Value::Null,
            };
            json!({
                "name": buffer.name,
                "bytes": buffer.contents.len(),
                "result": buffer.is_result,
                "filled_with": filled,
            })
        })
        .collect();
    let arguments: Vec<Value> = job
        .arguments
        .iter()
        .map(|argument| match argument {
            Argument::Buffer(place) => json!({"buffer": place}),
            Argument::Word(word) => json!({"word": word}),
            Argument::Long(long) => json!({"long": format!("{long:#018x}")}),
            Argument::TensorMap(place) => json!({"tensor_map": place}),
        })
        .collect();
    json!({
        "kernel": job.kernel.name,
        "target": job.kernel.target,
        "ptx": job.kernel.text,
        "launch": {
            "blocks": job.launch.blocks,
            "threads": job.launch.threads,
            "shared_bytes": job.launch.shared_bytes,
            "cluster": job.launch.cluster,
        },
        "buffers": buffers,
        "arguments": arguments,
        "timing": job.timing.map(|timing| json!({
            "warm_ups": timing.warm_ups,
            "launches": timing.launches,
            "repeats": timing.repeats,
        })),
    })
}
