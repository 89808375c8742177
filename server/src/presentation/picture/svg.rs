//! The picture as SVG: for a hover, a panel, a page.
//!
//! Self-contained (no script, no font, no link), so that it may be in an image; it follows the
//! reader's light or dark setting by a media query.

use std::fmt::Write as _;

use super::model::{Axis, CLASSES, Kind, Picture, Sheet};
use super::palette;

/// Width of one character of the monospaced text, in pixels, rounded up.
const CHARACTER: i64 = 8;
/// Height of a cell.
const CELL_HEIGHT: i64 = 26;
/// Height (columns) or least width (rows) of one level of labels.
const LEVEL: i64 = 24;
/// Space around the picture.
const MARGIN: i64 = 16;
/// Height of a line of text above the grid.
const LINE: i64 = 20;

/// Space between two grids.
const GAP: i64 = 24;

/// The least size of a picture that is shrunk, in hundredths: its texts are to be read.
const LEAST_SCALE: i64 = 70;

/// Draws the grids as a complete SVG document: side by side, but the operands of a product around it.
pub fn render(sheet: &Sheet) -> String {
    let seen = sheet.as_seen();
    let frames: Vec<Frame<'_>> = seen.iter().map(|picture| Frame::new(picture)).collect();
    let corners = match (sheet.kind, frames.as_slice()) {
        (Kind::Mma, [a, b, _]) => around(a, b),
        (_, frames) => side_by_side(frames),
    };
    drawn(sheet, &frames, &corners, i64::MAX)
}

/// Draws the grids side by side, shrunk towards a height in pixels to the extent that its texts can be read.
pub fn render_within(sheet: &Sheet, most: i64) -> String {
    let frames: Vec<Frame<'_>> = sheet.panels.iter().map(Frame::new).collect();
    let corners = side_by_side(&frames);
    drawn(sheet, &frames, &corners, most)
}

/// Draws each grid at its corner.
fn drawn(sheet: &Sheet, frames: &[Frame<'_>], corners: &[(i64, i64)], most: i64) -> String {
    let heading = if sheet.title.is_empty() {
        0
    } else {
        MARGIN + LINE
    };
    let title_width = sheet.title.chars().count() as i64 * (CHARACTER + 1) + 2 * MARGIN;
    let placed = || corners.iter().zip(frames);
    let right = placed().map(|((left, _), frame)| left + frame.width).max();
    let bottom = placed().map(|((_, top), frame)| top + frame.height).max();
    let grids = right.unwrap_or(0);
    let width = grids.max(if heading > 0 { title_width } else { 0 });
    let height = heading + bottom.unwrap_or(0);
    let scale = (most.saturating_mul(100) / height.max(1)).clamp(LEAST_SCALE, 100);
    let [shown_width, shown_height] = [width, height].map(|length| length * scale / 100);
    let mut out = String::new();
    let _ = writeln!(
        out,
        r#"<svg xmlns="http://www.w3.org/2000/svg" role="img" width="{shown_width}" height="{shown_height}" viewBox="0 0 {width} {height}">"#,
    );
    let name = match sheet.panels.first() {
        Some(first) if sheet.title.is_empty() => &first.layout,
        _ => &sheet.title,
    };
    if !name.is_empty() {
        let _ = writeln!(out, "<title>{}</title>", escaped(name));
    }
    let words: Vec<String> = sheet.panels.iter().map(description).collect();
    let _ = writeln!(out, "<desc>{}</desc>", escaped(&words.join(". ")));
    out.push_str(&style());
    let _ = writeln!(
        out,
        r#"<rect class="page" width="{width}" height="{height}"/>"#
    );
    if heading > 0 {
        text(&mut out, "title", MARGIN, MARGIN + 12, &sheet.title);
    }
    for ((left, top), frame) in placed() {
        let top = top + heading;
        let alone = *left == 0 && top == 0;
        if !alone {
            let _ = writeln!(out, r#"<g transform="translate({left} {top})">"#);
        }
        frame.draw(&mut out);
        if !alone {
            out.push_str("</g>\n");
        }
    }
    out.push_str("</svg>\n");
    out
}

/// The upper left corners of the grids of a product: `A` left of `C`, `B` above it.
fn around(a: &Frame<'_>, b: &Frame<'_>) -> Vec<(i64, i64)> {
    let (column, row) = (a.width + GAP, b.height + GAP);
    vec![(0, row), (column, 0), (column, row)]
}

/// The upper left corners of grids from left to right.
fn side_by_side(frames: &[Frame<'_>]) -> Vec<(i64, i64)> {
    let mut left = 0;
    let corners = frames.iter().map(|frame| {
        let corner = (left, 0);
        left += frame.width + GAP;
        corner
    });
    corners.collect()
}

/// Measures in pixels.
struct Frame<'a> {
    picture: &'a Picture,
    /// The notes in lines that are about as long as the grid is wide.
    notes: Vec<String>,
    /// Left edge of the grid.
    left: i64,
    /// Upper edge of the grid.
    top: i64,
    cell_width: i64,
    row_level_width: i64,
    width: i64,
    height: i64,
}

impl<'a> Frame<'a> {
    fn new(picture: &'a Picture) -> Self {
        let longest = picture
            .cells
            .iter()
            .flatten()
            .map(|cell| cell.shown().chars().count())
            .max()
            .unwrap_or(1);
        let cell_width = (longest as i64 * CHARACTER + 10).max(30);
        let row_level_width = picture
            .rows
            .levels
            .iter()
            .map(|level| level.mode.len().max((level.extent - 1).to_string().len()) as i64)
            .max()
            .unwrap_or(1)
            * CHARACTER
            + 16;
        let heading = heading(picture);
        let left = MARGIN + picture.rows.levels.len() as i64 * row_level_width;
        let names = picture
            .columns
            .levels
            .iter()
            .map(|l| l.mode.len() as i64)
            .max()
            .unwrap_or(0);
        let left = left.max(MARGIN + names * CHARACTER + 8);
        let right = left + picture.columns.shown * cell_width;
        let most = usize::try_from((right - MARGIN) / (CHARACTER + 1)).unwrap_or(0);
        let notes: Vec<String> = picture
            .notes
            .iter()
            .flat_map(|note| in_lines(note, most.max(NOTE)))
            .collect();
        let caption_lines = i64::from(!heading.is_empty()) + notes.len() as i64;
        let top =
            MARGIN + caption_lines * LINE + LINE + picture.columns.levels.len() as i64 * LEVEL;
        let caption = std::iter::once(&heading)
            .chain(&notes)
            .map(|t| t.chars().count())
            .max();
        let caption_width = caption.unwrap_or(0) as i64 * (CHARACTER + 1) + 2 * MARGIN;
        let lines_below = match picture.rows.levels.len() {
            0 => 0,
            1 => 1,
            _ => 2,
        };
        Self {
            picture,
            notes,
            left,
            top,
            cell_width,
            row_level_width,
            width: (right + MARGIN).max(caption_width),
            height: top + picture.rows.shown * CELL_HEIGHT + lines_below * LINE + MARGIN,
        }
    }

    fn draw(&self, out: &mut String) {
        self.captions(out);
        self.column_labels(out);
        self.row_labels(out);
        self.cells(out);
        self.group_lines(out);
    }

    fn x(&self, column: i64) -> i64 {
        self.left + column * self.cell_width
    }

    fn y(&self, row: i64) -> i64 {
        self.top + row * CELL_HEIGHT
    }

    fn captions(&self, out: &mut String) {
        let mut baseline = MARGIN + 12;
        let heading = heading(self.picture);
        if !heading.is_empty() {
            text(out, "title", MARGIN, baseline, &heading);
            baseline += LINE;
        }
        for note in &self.notes {
            text(out, "note", MARGIN, baseline, note);
            baseline += LINE;
        }
    }

    fn column_labels(&self, out: &mut String) {
        let columns = &self.picture.columns;
        let mut baseline = self.top - columns.levels.len() as i64 * LEVEL - 6;
        if !columns.label.is_empty() {
            text(
                out,
                "axis",
                self.left,
                baseline,
                &format!("{} →", columns.title()),
            );
        }
        for level in columns.levels.iter().rev() {
            baseline += LEVEL;
            if columns.levels.len() > 1 {
                text(out, "level end", self.left - 8, baseline, &level.mode);
            }
            for span in columns.spans(level) {
                let (from, to) = (self.x(span.start), self.x(span.end));
                text(
                    out,
                    "label",
                    i64::midpoint(from, to),
                    baseline,
                    &span.coordinate.to_string(),
                );
                if level.every > 1 {
                    let y = baseline + 5;
                    path(out, &format!("M{} {}v-4H{}v4", from + 3, y + 2, to - 3));
                }
            }
        }
    }

    /// Coordinates left of the grid; below it the names of the levels and of the axis.
    fn row_labels(&self, out: &mut String) {
        let rows = &self.picture.rows;
        let mut below = self.y(rows.shown) + LINE - 4;
        for (depth, level) in rows.levels.iter().enumerate() {
            let right = self.left - depth as i64 * self.row_level_width;
            if rows.levels.len() > 1 {
                text(out, "level end", right - 12, below, &level.mode);
            }
            for span in rows.spans(level) {
                let (from, to) = (self.y(span.start), self.y(span.end));
                let middle = i64::midpoint(from, to) + 5;
                text(
                    out,
                    "label end",
                    right - 12,
                    middle,
                    &span.coordinate.to_string(),
                );
                if level.every > 1 {
                    path(out, &format!("M{} {}h-4V{}h4", right - 3, from + 3, to - 3));
                }
            }
        }
        if rows.levels.len() > 1 {
            below += LINE;
        }
        if !rows.label.is_empty() {
            text(out, "axis", MARGIN, below, &format!("{} ↓", rows.title()));
        }
    }

    fn cells(&self, out: &mut String) {
        for (row, cells) in self.picture.cells.iter().enumerate() {
            for (column, cell) in cells.iter().enumerate() {
                let (x, y) = (self.x(column as i64), self.y(row as i64));
                let _ = writeln!(
                    out,
                    r#"<g class="c{}{}"><rect x="{x}" y="{y}" width="{}" height="{CELL_HEIGHT}"/><text x="{}" y="{}">{}</text></g>"#,
                    cell.class.rem_euclid(CLASSES),
                    if cell.faded { " faded" } else { "" },
                    self.cell_width,
                    x + self.cell_width / 2,
                    y + 18,
                    escaped(cell.shown())
                );
            }
        }
    }

    fn group_lines(&self, out: &mut String) {
        let (right, bottom) = (
            self.x(self.picture.columns.shown),
            self.y(self.picture.rows.shown),
        );
        for column in inner_borders(&self.picture.columns) {
            let x = self.x(column);
            let _ = writeln!(
                out,
                r#"<path class="border" d="M{x} {}V{bottom}"/>"#,
                self.top
            );
        }
        for row in inner_borders(&self.picture.rows) {
            let y = self.y(row);
            let _ = writeln!(
                out,
                r#"<path class="border" d="M{} {y}H{right}"/>"#,
                self.left
            );
        }
        let _ = writeln!(
            out,
            r#"<path class="border" d="M{l} {t}H{right}V{bottom}H{l}Z"/>"#,
            l = self.left,
            t = self.top
        );
    }
}

/// The fewest characters of a line of a note.
const NOTE: usize = 28;

/// A note in lines of at most this many characters where its words allow it.
fn in_lines(note: &str, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in note.split(' ') {
        match lines.last_mut() {
            Some(line) if line.chars().count() + 1 + word.chars().count() <= most => {
                line.push(' ');
                line.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

fn inner_borders(axis: &Axis) -> impl Iterator<Item = i64> + '_ {
    (1..axis.shown).filter(|position| axis.begins_group(*position))
}

/// Caption and print of a grid.
fn heading(picture: &Picture) -> String {
    if picture.caption.is_empty() {
        picture.layout.clone()
    } else {
        format!("{}: {}", picture.caption, picture.layout)
    }
}

/// The description of the picture, for readers who cannot see it.
fn description(picture: &Picture) -> String {
    let mut words = vec![format!(
        "{} rows ({}), {} columns ({})",
        picture.rows.extent,
        picture.rows.title(),
        picture.columns.extent,
        picture.columns.title()
    )];
    words.extend(picture.notes.iter().cloned());
    words.join("; ")
}

fn style() -> String {
    let mut css = String::from(
        "<style>\n\
         text{font:13px ui-monospace,Menlo,Consolas,monospace;text-anchor:middle;fill:#111}\n\
         .title,.note,.axis{text-anchor:start}.title{font-size:14px;font-weight:bold}\n\
         .end{text-anchor:end}.level,.note{fill:#555}.page{fill:#fff}\n\
         rect{stroke:#777;stroke-width:.5}.page{stroke:none}\n\
         .faded rect{fill:none}.faded text{opacity:.45}\n\
         path{fill:none;stroke:#555}.border{stroke:#111;stroke-width:2}\n",
    );
    for class in 0..CLASSES {
        let _ = writeln!(
            css,
            ".c{class}:not(.faded) rect{{fill:{}}}",
            palette::hex(palette::light(class).fill)
        );
    }
    css.push_str(
        "@media (prefers-color-scheme:dark){\n\
         text{fill:#f5f5f5}.level,.note{fill:#bbb}.page{fill:#1e1e1e}\n\
         path{stroke:#bbb}.border{stroke:#f5f5f5}\n",
    );
    for class in 0..CLASSES {
        let _ = writeln!(
            css,
            ".c{class}:not(.faded) rect{{fill:{}}}",
            palette::hex(palette::dark(class).fill)
        );
    }
    css.push_str("}\n</style>\n");
    css
}

fn text(out: &mut String, class: &str, x: i64, y: i64, content: &str) {
    let _ = writeln!(
        out,
        r#"<text class="{class}" x="{x}" y="{y}">{}</text>"#,
        escaped(content)
    );
}

fn path(out: &mut String, d: &str) {
    let _ = writeln!(out, r#"<path d="{d}"/>"#);
}

/// Text as XML character data.
fn escaped(content: &str) -> String {
    let mut out = String::with_capacity(content.len());
    for character in content.chars() {
        match character {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            // XML 1.0 forbids the other control characters even when escaped.
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use cute_algebra::{AnyLayout, Layout};

    use super::super::build::of_layout;
    use super::super::model::Window;
    use super::*;

    /// Width, height and the rest of the first line.
    fn head(text: &str) -> (i64, i64, String) {
        let number = |name: &str| {
            let rest = text.split_once(&format!(" {name}=\"")).unwrap().1;
            rest.split_once('"').unwrap().0.parse().unwrap()
        };
        let view = text.split_once("viewBox").unwrap().1.lines().next();
        (number("width"), number("height"), view.unwrap().to_owned())
    }

    #[test]
    fn a_note_is_in_lines_and_no_word_is_cut() {
        let note = "banks of 4 bytes for elements of 16 bits";
        let lines = in_lines(note, 20);
        assert_eq!(lines, ["banks of 4 bytes for", "elements of 16 bits"]);
        assert_eq!(in_lines("Sw<3,3,3>o0o(8,64):(64,1)", 4).len(), 1);
        assert_eq!(in_lines("", 4), [""]);
    }

    #[test]
    fn a_print_that_stands_beside_the_picture_is_not_drawn_and_takes_no_room() {
        let layout: Layout = "(4,3):(3,1)".parse().unwrap();
        let picture = of_layout(&AnyLayout::Affine(layout), Window::default()).unwrap();
        let alone = Sheet::from(picture.clone());
        let (drawn, bare) = (render(&alone), render(&alone.clone().without_print()));
        assert!(drawn.contains("(4,3):(3,1)") && !bare.contains("(4,3):(3,1)"));
        assert_eq!(head(&bare).1, head(&drawn).1 - LINE);
        // One of several, or one with a caption, is told by it.
        let mut pair = alone.clone();
        pair.panels.push(picture);
        assert_eq!(render(&pair.clone().without_print()), render(&pair));
    }

    #[test]
    fn a_picture_is_shrunk_as_a_whole_and_stays_legible() {
        let layout: Layout = "(8,8):(8,1)".parse().unwrap();
        let picture = of_layout(&AnyLayout::Affine(layout), Window::default()).unwrap();
        let sheet = Sheet::from(picture);
        let (width, height, view) = head(&render(&sheet));
        assert_eq!(
            head(&render_within(&sheet, height)),
            (width, height, view.clone())
        );
        let (_, shrunk, same) = head(&render_within(&sheet, height - 20));
        assert!(
            shrunk <= height - 20 && shrunk > height * 7 / 10,
            "{shrunk}"
        );
        assert_eq!(same, view);
        let least = (width * 70 / 100, height * 70 / 100, view);
        assert_eq!(head(&render_within(&sheet, 1)), least);
    }
}
