//! The page of a layout in a browser, and the sizes of the packages.

use anyhow::{Context, Result};
use serde::Deserialize;

use crate::command::output;
use crate::measurements::Section;
use crate::place::Checkout;
use crate::{dist, install, workbench};

/// The figures of the script that drives pages.
#[derive(Deserialize)]
struct Figures {
    first_paint_ms: FirstPaint,
    frame_ms: Frames,
}

#[derive(Deserialize)]
struct FirstPaint {
    median: f64,
    worst: f64,
    /// The median of the times since the page's script began.
    own: f64,
    /// The median of the processor time of the page's thread for a load.
    processor: f64,
}

#[derive(Deserialize)]
struct Frames {
    median: f64,
    p95: f64,
}

/// First paint and frames of pages; sizes of the packages.
pub(super) fn measured(place: &Checkout) -> Result<Section> {
    workbench::prepare_pages(place)?;
    let text = output(workbench::page(place)?.arg("--measure"))?;
    let figures: Figures = serde_json::from_str(text.trim()).context("the figures of the pages")?;
    let dist = dist::build(place)?;
    let size = |file: &std::path::Path| -> Result<String> {
        let bytes = std::fs::metadata(file)
            .with_context(|| format!("cannot read {}", file.display()))?
            .len();
        Ok(format!("{} kB", bytes.div_ceil(1000)))
    };
    let (_, first_hint) = install::first_hint(place, &dist.wheel)?;
    let row = |name: &str, value: String| vec![name.to_owned(), value];
    Ok(Section {
        name: "The page of a layout, and what is given out",
        about: "Chromium without a screen or a graphics processor, 15 loads of `(128,64):(64,1)` from a file, from the beginning of the load until its grid is drawn; and 60 frames that scroll a tiled copy of 128 x 128 elements by 256 threads and choose a cell each. Then `pip install` of the wheel into an empty environment, and CUTLASS's `sgemm_1.cu` opened in Neovim with nothing configured, until the first hint is drawn.".to_owned(),
        head: vec!["", "measured"],
        rows: vec![
            row("first paint of 128 x 64, median", format!("{} ms", figures.first_paint_ms.median)),
            row("of that since the page's own script began, median", format!("{} ms", figures.first_paint_ms.own)),
            row("processor time of the page's thread for a load, median", format!("{} ms", figures.first_paint_ms.processor)),
            row("first paint of 128 x 64, worst", format!("{} ms", figures.first_paint_ms.worst)),
            row("a frame of 128 x 128 with 256 threads, median", format!("{} ms", figures.frame_ms.median)),
            row("a frame of 128 x 128 with 256 threads, 95th percentile", format!("{} ms", figures.frame_ms.p95)),
            row("extension for VS Code with the program inside", size(&dist.package)?),
            row("wheel", size(&dist.wheel)?),
            row(
                "from the wheel to the first hint",
                format!("{:.1} s", first_hint.as_secs_f64()),
            ),
        ],
    })
}
