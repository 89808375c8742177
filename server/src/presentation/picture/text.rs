//! The picture as characters: for a terminal, for Neovim, for a file.

use std::fmt::Write as _;

use anstyle::{Color, RgbColor, Style};

use super::model::{Axis, Cell, Kind, Picture, Sheet};
use super::palette;

/// The widest text of an MMA whose operands are around its accumulator, in a file, a terminal or an editor's window.
pub const WIDEST: usize = 400;

/// The blanks between `A` and `C`.
const GAP: usize = 3;

/// Draws the grids of a sheet one below the other; of an MMA `A` left of `C` and `B` above it, where that is at most
/// `widest` characters wide.
pub fn render_sheet(sheet: &Sheet, coloured: bool, widest: usize) -> String {
    let mut out = String::new();
    if !sheet.title.is_empty() {
        line(&mut out, &sheet.title);
        line(&mut out, "");
    }
    if let Some(around) = around(sheet, coloured, widest) {
        out.push_str(&around);
        return out;
    }
    for (index, panel) in sheet.panels.iter().enumerate() {
        if index > 0 {
            line(&mut out, "");
        }
        out.push_str(&render(panel, coloured));
    }
    out
}

/// The operands of an MMA around its accumulator; nothing for other sheets, and where that is too wide.
fn around(sheet: &Sheet, coloured: bool, most: usize) -> Option<String> {
    let seen = sheet.as_seen();
    let (Kind::Mma, [a, b, c]) = (sheet.kind, seen.as_slice()) else {
        return None;
    };
    // The widths are of the text without its colours.
    let widths = |picture: &Picture| -> Vec<usize> {
        let text = render(picture, false);
        text.lines().map(|line| line.chars().count()).collect()
    };
    let widest = |picture| widths(picture).into_iter().max().unwrap_or(0);
    let beside = widest(a) + GAP;
    if beside + widest(b).max(widest(c)) > most {
        return None;
    }
    let mut out = String::new();
    for above in render(b, coloured).lines() {
        line(&mut out, &format!("{:beside$}{above}", ""));
    }
    line(&mut out, "");
    // The first rows of both are beside each other: the one with the shorter head begins lower.
    let (left, right) = (render(a, coloured), render(c, coloured));
    let head = |text: &str| {
        let corner = text.lines().position(|line| line.contains('┌'));
        corner.unwrap_or(0)
    };
    let lower = |own: &str, other: &str| {
        let blank = std::iter::repeat_n("", head(other).saturating_sub(head(own)));
        blank
            .chain(own.lines())
            .map(str::to_owned)
            .collect::<Vec<String>>()
    };
    let (lefts, rights) = (lower(&left, &right), lower(&right, &left));
    let skipped = lefts.len() - left.lines().count();
    let widths = [vec![0; skipped], widths(a)].concat();
    for at in 0..lefts.len().max(rights.len()) {
        let [left, right] = [&lefts, &rights].map(|lines| lines.get(at).map_or("", String::as_str));
        let gap = beside - widths.get(at).copied().unwrap_or(0);
        line(&mut out, &format!("{left}{:gap$}{right}", ""));
    }
    Some(out)
}

/// Draws the picture with box characters; `coloured` adds ANSI colours.
///
/// Every level of a nested mode has its own line of labels (columns) or its own column of labels
/// (rows), with a bracket over the cells that share its coordinate.
pub fn render(picture: &Picture, coloured: bool) -> String {
    let grid = Grid::new(picture, coloured);
    let mut out = String::new();
    let cosize = picture
        .cosize
        .map(|cosize| format!(", cosize {cosize}"))
        .unwrap_or_default();
    let caption = if picture.caption.is_empty() {
        String::new()
    } else {
        format!("{}: ", picture.caption)
    };
    line(
        &mut out,
        &format!(
            "{caption}{}   size {}{cosize}",
            picture.layout, picture.size
        ),
    );
    for note in &picture.notes {
        line(&mut out, note);
    }
    line(&mut out, "");
    grid.header(&mut out);
    grid.body(&mut out);
    out
}

/// Measures of the grid in characters.
struct Grid<'a> {
    picture: &'a Picture,
    coloured: bool,
    /// Width of one cell, its leading blank included.
    cell: usize,
    /// Width of each column of row labels, outermost level first.
    labels: Vec<usize>,
}

impl<'a> Grid<'a> {
    fn new(picture: &'a Picture, coloured: bool) -> Self {
        let widest_offset = picture
            .cells
            .iter()
            .flatten()
            .map(|cell| cell.shown().chars().count())
            .max()
            .unwrap_or(1);
        let widest_column = widest_coordinate(&picture.columns);
        let labels = outermost_first(&picture.rows)
            .map(|level| level.mode.len().max(digits(level.extent - 1)) + 2)
            .collect();
        Self {
            picture,
            coloured,
            cell: widest_offset.max(widest_column) + 1,
            labels,
        }
    }

    fn left_margin(&self) -> usize {
        self.labels.iter().sum()
    }

    /// The width of the cells from the left border up to a column, borders of groups included.
    fn column_start(&self, column: i64) -> usize {
        let groups = (1..=column)
            .filter(|at| self.picture.columns.begins_group(*at))
            .count();
        column as usize * self.cell + groups * 2
    }

    fn header(&self, out: &mut String) {
        let margin = self.left_margin();
        let columns = &self.picture.columns;
        if !columns.label.is_empty() {
            line(out, &format!("{:margin$}   {} →", "", columns.title()));
        }
        let name_width = margin.max(
            columns
                .levels
                .iter()
                .map(|l| l.mode.len())
                .max()
                .unwrap_or(0),
        );
        for level in outermost_first(columns) {
            let name = if columns.levels.len() > 1 {
                level.mode.as_str()
            } else {
                ""
            };
            let mut text = format!("{name:>name_width$}  ");
            let origin = text.chars().count();
            for span in columns.spans(level) {
                let start = self.column_start(span.start);
                let last = self.column_start(span.end - 1) + self.cell;
                pad_to(&mut text, origin + start);
                text.push_str(&column_label(
                    span.coordinate,
                    last - start,
                    level.every > 1,
                ));
            }
            line(out, &text);
        }
    }

    fn body(&self, out: &mut String) {
        let rows = &self.picture.rows;
        let mut corner = String::new();
        for (level, width) in outermost_first(rows).zip(&self.labels) {
            let name = if rows.levels.len() > 1 {
                level.mode.as_str()
            } else {
                ""
            };
            let _ = write!(corner, "{name:<width$}");
        }
        line(out, &format!("{corner} {}", self.rule('┌', '┬', '┐')));
        for (position, cells) in self.picture.cells.iter().enumerate() {
            let position = position as i64;
            if position > 0 && rows.begins_group(position) {
                let margin = self.left_margin();
                line(out, &format!("{:margin$} {}", "", self.rule('├', '┼', '┤')));
            }
            let mut text = self.row_labels(position);
            text.push_str(" │");
            for (column, cell) in cells.iter().enumerate() {
                if column > 0 && self.picture.columns.begins_group(column as i64) {
                    text.push_str(" │");
                }
                text.push_str(&self.painted(cell));
            }
            text.push_str(" │");
            line(out, &text);
        }
        let margin = self.left_margin();
        line(out, &format!("{:margin$} {}", "", self.rule('└', '┴', '┘')));
        if !rows.label.is_empty() {
            line(out, &format!("{} ↓", rows.title()));
        }
    }

    /// A cell in its colour. One that is there only for comparison is dim, or a dot where there are
    /// no colours.
    fn painted(&self, cell: &Cell) -> String {
        let width = self.cell;
        let shown = if cell.faded && !self.coloured {
            "·"
        } else {
            cell.shown()
        };
        let text = format!("{shown:>width$}");
        if !self.coloured {
            return text;
        }
        if cell.faded {
            let style = Style::new().dimmed();
            return format!("{style}{text}{style:#}");
        }
        let paint = palette::light(cell.class);
        let colour = |[r, g, b]: [u8; 3]| Some(Color::Rgb(RgbColor(r, g, b)));
        let style = Style::new()
            .bg_color(colour(paint.fill))
            .fg_color(colour(paint.ink));
        format!("{style}{text}{style:#}")
    }

    /// A horizontal line with a joint at every group of columns.
    fn rule(&self, left: char, joint: char, right: char) -> String {
        let mut text = String::from(left);
        for column in 0..self.picture.columns.shown {
            if column > 0 && self.picture.columns.begins_group(column) {
                text.push('─');
                text.push(joint);
            }
            text.extend(std::iter::repeat_n('─', self.cell));
        }
        text.push('─');
        text.push(right);
        text
    }

    /// The labels before a row: the coordinate at the first row of each run, then its bracket.
    fn row_labels(&self, position: i64) -> String {
        let mut text = String::new();
        for (level, width) in outermost_first(&self.picture.rows).zip(&self.labels) {
            let begins = position % level.every == 0;
            let ends = (position + 1) % level.every == 0 || position + 1 == self.picture.rows.shown;
            let number = if begins {
                level.coordinate(position).to_string()
            } else {
                String::new()
            };
            let bracket = match (level.every > 1, begins, ends) {
                (false, ..) | (true, true, true) => ' ',
                (true, true, false) => '┌',
                (true, false, true) => '└',
                (true, false, false) => '│',
            };
            let _ = write!(text, "{number:>digits$} {bracket}", digits = width - 2);
        }
        text
    }
}

/// A coordinate over its columns: `╭── 1 ──╮` where it spans several, else right-aligned.
fn column_label(coordinate: i64, width: usize, spans_several: bool) -> String {
    let number = coordinate.to_string();
    if !spans_several {
        return format!("{number:>width$}");
    }
    let inner = width.saturating_sub(3);
    if inner < number.len() + 2 {
        return format!("{number:>width$}");
    }
    format!(" ╭{:─^inner$}╮", format!(" {number} "))
}

fn outermost_first(axis: &Axis) -> impl Iterator<Item = &super::model::Level> {
    axis.levels.iter().rev()
}

fn widest_coordinate(axis: &Axis) -> usize {
    axis.levels
        .first()
        .map_or(1, |level| digits((level.extent - 1).min(axis.shown)))
}

fn digits(number: i64) -> usize {
    number.max(0).to_string().len()
}

fn pad_to(text: &mut String, width: usize) {
    let now = text.chars().count();
    text.extend(std::iter::repeat_n(' ', width.saturating_sub(now)));
}

/// Appends a line without trailing blanks.
fn line(out: &mut String, text: &str) {
    out.push_str(text.trim_end());
    out.push('\n');
}
