//! The picture as `TikZ`, for papers and slides.
//!
//! One `tikzpicture` for each grid; the preamble needs `\usepackage{tikz}`. Cells are 1 wide and
//! 1 high, row 0 on top.

use std::fmt::Write as _;

use super::model::{CLASSES, Cell, Picture, Sheet};
use super::palette;

/// Draws the sheet as the body of a `LaTeX` document.
pub fn render(sheet: &Sheet) -> String {
    let mut out = String::from("% needs \\usepackage{tikz}\n");
    for class in 0..CLASSES {
        let [red, green, blue] = palette::light(class).fill;
        let _ = writeln!(
            out,
            "\\definecolor{{cute{class}}}{{RGB}}{{{red},{green},{blue}}}"
        );
    }
    if !sheet.title.is_empty() {
        let _ = writeln!(out, "% {}", single_line(&sheet.title));
    }
    for panel in &sheet.panels {
        grid(&mut out, panel);
    }
    out
}

fn grid(out: &mut String, picture: &Picture) {
    let widest = picture
        .cells
        .iter()
        .flatten()
        .map(|cell| cell.shown().chars().count())
        .max()
        .unwrap_or(1);
    let scale = if widest > 4 { "1.6" } else { "0.7" };
    let _ = writeln!(
        out,
        "\\begin{{tikzpicture}}[x={scale}cm,y=-0.7cm,every node/.style={{font=\\footnotesize}}]"
    );
    let heading = [picture.caption.as_str(), picture.layout.as_str()];
    let heading: Vec<&str> = heading
        .into_iter()
        .filter(|text| !text.is_empty())
        .collect();
    let _ = writeln!(
        out,
        "\\node[anchor=south west] at (0,-1) {{\\texttt{{{}}}}};",
        escaped(&heading.join(": "))
    );
    for (row, cells) in picture.cells.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            square(out, row, column, cell);
        }
    }
    for column in 0..picture.columns.shown {
        let _ = writeln!(out, "\\node at ({column}.5,-0.5) {{{column}}};");
    }
    for row in 0..picture.rows.shown {
        let _ = writeln!(out, "\\node at (-0.5,{row}.5) {{{row}}};");
    }
    let (width, height) = (picture.columns.shown, picture.rows.shown);
    for column in (1..width).filter(|at| picture.columns.begins_group(*at)) {
        let _ = writeln!(out, "\\draw[thick] ({column},0) -- ({column},{height});");
    }
    for row in (1..height).filter(|at| picture.rows.begins_group(*at)) {
        let _ = writeln!(out, "\\draw[thick] (0,{row}) -- ({width},{row});");
    }
    let _ = writeln!(out, "\\draw[thick] (0,0) rectangle ({width},{height});");
    for (line, note) in picture.notes.iter().enumerate() {
        let _ = writeln!(
            out,
            "\\node[anchor=north west] at (0,{}) {{{}}};",
            height as usize + line,
            escaped(note)
        );
    }
    out.push_str("\\end{tikzpicture}\n");
}

fn square(out: &mut String, row: usize, column: usize, cell: &Cell) {
    let (fill, ink) = if cell.faded {
        ("white".to_owned(), "black!40")
    } else {
        (format!("cute{}", cell.class.rem_euclid(CLASSES)), "black")
    };
    let _ = writeln!(
        out,
        "\\draw[fill={fill}] ({column},{row}) rectangle ++(1,1) node[midway,text={ink}] {{{}}};",
        escaped(cell.shown())
    );
}

/// Text that TeX prints as it is.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '_' | '{' | '}' | '#' | '$' | '%' | '&' => {
                out.push('\\');
                out.push(character);
            }
            '\\' => out.push_str("\\textbackslash{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            control if control.is_control() => out.push(' '),
            other => out.push(other),
        }
    }
    out
}

/// Text that stays inside of one comment line.
fn single_line(text: &str) -> String {
    text.replace(char::is_control, " ")
}
