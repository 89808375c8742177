//! The pictures against the figures of the paper "CuTe Layout Representation and Algebra", cell by
//! cell, and the gallery against what the program draws.

use std::path::Path;

use serde_json::Value;

use crate::ask::ask;

fn sheet(arguments: &[&str]) -> Value {
    let mut command = vec!["draw"];
    command.extend(arguments);
    command.extend(["--format", "json"]);
    serde_json::from_str(&ask(&command).ends_with(0).stdout).expect("a sheet")
}

/// The texts of the cells of a grid, row by row.
fn cells(panel: &Value) -> Vec<Vec<String>> {
    grid(panel, |cell| {
        let shown = cell.get("text").unwrap_or(&cell["offset"]);
        shown.as_str().expect("a text").to_owned()
    })
}

/// The colour classes of a grid, row by row.
fn classes(panel: &Value) -> Vec<Vec<i64>> {
    grid(panel, |cell| cell["class"].as_i64().expect("a class"))
}

/// The cells that are out, as `(row, column)`.
fn standing_out(panel: &Value) -> Vec<(usize, usize)> {
    let faded = grid(panel, |cell| cell.get("faded") == Some(&Value::Bool(true)));
    let mut found = Vec::new();
    for (row, line) in faded.iter().enumerate() {
        let places = line.iter().enumerate().filter(|(_, faded)| !**faded);
        found.extend(places.map(|(column, _)| (row, column)));
    }
    found
}

fn grid<T>(panel: &Value, of_cell: impl Fn(&Value) -> T) -> Vec<Vec<T>> {
    let rows = panel["cells"].as_array().expect("rows");
    rows.iter()
        .map(|row| {
            row.as_array()
                .expect("a row")
                .iter()
                .map(&of_cell)
                .collect()
        })
        .collect()
}

fn words(table: &str) -> Vec<Vec<String>> {
    let lines = table.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| line.split_whitespace().map(str::to_owned).collect())
        .collect()
}

const SLICED: &str = "((3,2),((2,3),2)):((4,1),((2,15),100))";

#[test]
fn figure_5_a_tensor_and_its_slices() {
    let whole = sheet(&[SLICED]);
    assert_eq!(
        cells(&whole["panels"][0]),
        words(
            "0 2 15 17 30 32 100 102 115 117 130 132
             4 6 19 21 34 36 104 106 119 121 134 136
             8 10 23 25 38 40 108 110 123 125 138 140
             1 3 16 18 31 33 101 103 116 118 131 133
             5 7 20 22 35 37 105 107 120 122 135 137
             9 11 24 26 39 41 109 111 124 126 139 141"
        )
    );
    let sliced = |coordinate: &str| {
        let sheet = sheet(&[&format!("slice({coordinate}, {SLICED})"), "--operands"]);
        let print = sheet["panels"][1]["layout"].as_str().expect("a print");
        (print.to_owned(), standing_out(&sheet["panels"][0]))
    };
    let (print, kept) = sliced("(_,5)");
    assert_eq!(print, "{32} o ((3,2)):((4,1))");
    assert_eq!(kept, [(0, 5), (1, 5), (2, 5), (3, 5), (4, 5), (5, 5)]);
    let (print, kept) = sliced("(2,((0,_),_))");
    assert_eq!(print, "{8} o (3,2):(15,100)");
    assert_eq!(kept, [(2, 0), (2, 2), (2, 4), (2, 6), (2, 8), (2, 10)]);
    let (print, kept) = sliced("((1,_),((_,0),_))");
    assert_eq!(print, "{4} o (2,2,2):(1,2,100)");
    let rows = [1, 4].map(|row| [0, 1, 6, 7].map(|column| (row, column)));
    assert_eq!(kept, rows.concat());
}

#[test]
fn figure_6_the_accumulator_of_the_fp64_tensor_core() {
    let sheet = sheet(&["MMA_Atom<SM80_8x8x4_F64F64F64F64_TN>{}"]);
    assert_eq!(sheet["kind"], "mma");
    let accumulator = &sheet["panels"][2];
    assert_eq!(accumulator["layout"], "((4,8),2):((16,1),8)");
    let expected: Vec<Vec<String>> = (0..8)
        .map(|row| {
            let owner = |column| format!("T{} V{}", 4 * row + column / 2, column % 2);
            (0..8).map(owner).collect()
        })
        .collect();
    assert_eq!(cells(accumulator), expected);
}

#[test]
fn figure_7_what_tilers_take() {
    let taken = |tiler: &str| {
        let operation = format!("composition((8,16):(1,8), {tiler})");
        let sheet = sheet(&[&operation, "--operands"]);
        let taken = standing_out(&sheet["panels"][0]);
        let mut rows: Vec<usize> = taken.iter().map(|(row, _)| *row).collect();
        let mut columns: Vec<usize> = taken.iter().map(|(_, column)| *column).collect();
        assert_eq!(taken.len(), 32);
        rows.dedup();
        columns.sort_unstable();
        columns.dedup();
        (rows, columns)
    };
    let even = |count: usize| (0..count).map(|at| 2 * at).collect::<Vec<_>>();
    let first = |count: usize| (0..count).collect::<Vec<_>>();
    assert_eq!(taken("<4:1,8:1>"), (first(4), first(8)));
    assert_eq!(taken("<4:1,8:2>"), (first(4), even(8)));
    assert_eq!(taken("<4:2,8:1>"), (even(4), first(8)));
    assert_eq!(taken("<4:2,8:2>"), (even(4), even(8)));
}

#[test]
fn figures_10_and_11_products() {
    let product = |name: &str| {
        let sheet = sheet(&[&format!("{name}((3,4):(4,1), (2,5):(1,2))"), "--operands"]);
        sheet["panels"][2].clone()
    };
    let blocked = product("blocked_product");
    assert_eq!(
        cells(&blocked),
        words(
            "0 1 2 3 24 25 26 27 48 49 50 51 72 73 74 75 96 97 98 99
             4 5 6 7 28 29 30 31 52 53 54 55 76 77 78 79 100 101 102 103
             8 9 10 11 32 33 34 35 56 57 58 59 80 81 82 83 104 105 106 107
             12 13 14 15 36 37 38 39 60 61 62 63 84 85 86 87 108 109 110 111
             16 17 18 19 40 41 42 43 64 65 66 67 88 89 90 91 112 113 114 115
             20 21 22 23 44 45 46 47 68 69 70 71 92 93 94 95 116 117 118 119"
        )
    );
    let shades = classes(&blocked);
    for (row, line) in shades.iter().enumerate() {
        for (column, class) in line.iter().enumerate() {
            let block = (row / 3 + 2 * (column / 4)) as i64;
            assert_eq!(*class, block % 8, "row {row}, column {column}");
        }
    }
    let raked = product("raked_product");
    assert_eq!(
        cells(&raked),
        words(
            "0 24 48 72 96 1 25 49 73 97 2 26 50 74 98 3 27 51 75 99
             12 36 60 84 108 13 37 61 85 109 14 38 62 86 110 15 39 63 87 111
             4 28 52 76 100 5 29 53 77 101 6 30 54 78 102 7 31 55 79 103
             16 40 64 88 112 17 41 65 89 113 18 42 66 90 114 19 43 67 91 115
             8 32 56 80 104 9 33 57 81 105 10 34 58 82 106 11 35 59 83 107
             20 44 68 92 116 21 45 69 93 117 22 46 70 94 118 23 47 71 95 119"
        )
    );
    for (row, line) in classes(&raked).iter().enumerate() {
        for (column, class) in line.iter().enumerate() {
            let block = (row % 2 + 2 * (column % 5)) as i64;
            assert_eq!(*class, block % 8, "row {row}, column {column}");
        }
    }
}

#[test]
fn figure_12_what_tilers_divide_into() {
    let tiles = |tiler: &str| {
        let operation = format!("zipped_divide((8,16):(20,1), {tiler})");
        classes(&sheet(&[&operation, "--operands"])["panels"][0])
    };
    for (tiler, tile_of_column) in [
        ("<4:1,8:1>", (|column| column / 8) as fn(usize) -> usize),
        ("<4:1,8:2>", |column| column % 2),
    ] {
        for (row, line) in tiles(tiler).iter().enumerate() {
            for (column, class) in line.iter().enumerate() {
                let tile = row / 4 + 2 * tile_of_column(column);
                assert_eq!(*class, tile as i64, "{tiler}: row {row}, column {column}");
            }
        }
    }
}

#[test]
fn a_composition_stands_beside_its_operands_and_a_swizzle_beside_what_it_changes() {
    let composed = sheet(&["composition((6,2):(8,2), (4,3):(3,1))", "--operands"]);
    assert_eq!(composed["kind"], "composition");
    let captions: Vec<_> = (0..3)
        .map(|at| composed["panels"][at]["caption"].clone())
        .collect();
    assert_eq!(captions, ["A", "B", "A o B"]);
    let swizzled = sheet(&["Sw<1,0,1> o 0 o (2,2):(2,1)", "--operands"]);
    assert_eq!(cells(&swizzled["panels"][0]), words("0 1\n2 3"));
    assert_eq!(cells(&swizzled["panels"][1]), words("0 1\n3 2"));
}

#[test]
fn what_has_no_picture_says_why() {
    let refused = |expression: &str| ask(&["draw", expression]).ends_with(1).stderr;
    assert!(refused("(M,8):(1,M)").contains("run time"));
    assert!(refused("Swizzle<3,3,3>{}").contains("is not a layout"));
}

#[test]
fn tikz_has_a_picture_for_each_grid_and_escapes_names() {
    let drawn = ask(&[
        "draw",
        "MMA_Atom<SM80_8x8x4_F64F64F64F64_TN>{}",
        "--format",
        "tikz",
    ]);
    let text = drawn.ends_with(0).stdout;
    assert_eq!(text.matches("\\begin{tikzpicture}").count(), 3);
    assert_eq!(text.matches("\\end{tikzpicture}").count(), 3);
    assert!(text.contains("node[midway,text=black] {T31 V1};"), "{text}");
}

#[test]
fn a_complement_is_drawn_up_to_the_size_that_is_asked_for() {
    let asked = [
        "draw",
        "complement((2,2):(1,6), 24)",
        "--operands",
        "--format",
        "json",
    ];
    let drawn: Value = serde_json::from_str(&ask(&asked).ends_with(0).stdout).expect("JSON");
    let layouts: Vec<&str> = drawn["panels"]
        .as_array()
        .expect("grids")
        .iter()
        .filter_map(|panel| panel["layout"].as_str())
        .collect();
    assert_eq!(layouts, ["(2,2):(1,6)", "(3,2):(2,12)"]);
}

/// The words of the glossary have a picture each where they have a picture.
#[test]
fn the_glossary_shows_the_words_of_layouts_by_pictures_of_the_gallery() {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = std::fs::read_to_string(docs.join("glossary.md")).expect("the glossary");
    let pictures: Vec<&str> = page
        .split("](gallery/")
        .skip(1)
        .filter_map(|rest| rest.split(')').next())
        .collect();
    assert!(pictures.len() >= 17, "{pictures:?}");
    for picture in pictures {
        assert!(docs.join("gallery").join(picture).is_file(), "{picture}");
    }
}

/// Two pages of print, on which GitHub's column of 1,012 pixels is as wide as the paper: a row of the tables is as high as
/// its tallest picture and five lines of text.
#[test]
fn the_glossary_is_two_pages() {
    const PAGES: i64 = 2;
    const PAGE: i64 = 1_340;
    const LINE: i64 = 22;
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let page = std::fs::read_to_string(docs.join("glossary.md")).expect("the glossary");
    let mut height = 0;
    for line in page.lines().filter(|line| !line.is_empty()) {
        let pictures = line
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next());
        let tallest = pictures.map(|picture| {
            let svg = std::fs::read_to_string(docs.join(picture)).expect(picture);
            let height = svg
                .split(" height=\"")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            height
                .and_then(|height| height.parse::<i64>().ok())
                .expect(picture)
        });
        height += tallest.max().map_or(LINE, |picture| picture + 5 * LINE);
    }
    assert!(height <= PAGES * PAGE, "{height} pixels");
}

#[test]
fn the_gallery_is_what_the_program_draws() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/gallery");
    let list = std::fs::read_to_string(folder.join("gallery.json")).expect("the list");
    let entries: Vec<Value> = serde_json::from_str(&list).expect("a list");
    assert!(!entries.is_empty());
    for entry in entries {
        let file = entry["file"].as_str().expect("a name");
        let arguments = entry["arguments"].as_array().expect("arguments");
        let mut command = vec!["draw"];
        command.extend(arguments.iter().filter_map(Value::as_str));
        command.extend(["--format", "svg"]);
        let drawn = ask(&command).ends_with(0).stdout;
        let kept = std::fs::read_to_string(folder.join(file).with_extension("svg"));
        let kept = kept.unwrap_or_default();
        assert!(
            kept == drawn,
            "{file}.svg is out of date: run `cargo xtask gallery`"
        );
    }
}
