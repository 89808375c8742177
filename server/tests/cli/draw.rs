//! `draw`: the picture as characters, as SVG, as data.

use tempfile::TempDir;

use crate::ask::ask;

fn drawn(expression: &str) -> String {
    ask(&["draw", expression]).ends_with(0).stdout
}

#[test]
fn a_flat_layout_of_rank_2() {
    insta::assert_snapshot!(drawn("(4,3):(3,1)"), @r"
    (4,3):(3,1)   size 12, cosize 12

          mode 1 →
           0  1  2
        ┌──────────┐
    0   │  0  1  2 │
    1   │  3  4  5 │
    2   │  6  7  8 │
    3   │  9 10 11 │
        └──────────┘
    mode 0 ↓
    ");
}

#[test]
fn a_layout_of_rank_1_is_one_row() {
    insta::assert_snapshot!(drawn("6:2"), @r"
    6:2   size 6, cosize 11

       mode 0 →
         0  1  2  3  4  5
     ┌───────────────────┐
     │  0  2  4  6  8 10 │
     └───────────────────┘
    ");
}

#[test]
fn nested_modes_are_bracketed_and_named() {
    insta::assert_snapshot!(drawn("((2,2),(3,2)):((1,6),(2,12))"), @r"
    ((2,2),(3,2)):((1,6),(2,12))   size 24, cosize 24

                 mode 1 = (1.0,1.1) →
           1.1   ╭─ 0 ──╮   ╭─ 1 ──╮
           1.0    0  1  2    0  1  2
    0.1  0.0   ┌──────────┬──────────┐
      0 ┌  0   │  0  2  4 │ 12 14 16 │
        └  1   │  1  3  5 │ 13 15 17 │
               ├──────────┼──────────┤
      1 ┌  0   │  6  8 10 │ 18 20 22 │
        └  1   │  7  9 11 │ 19 21 23 │
               └──────────┴──────────┘
    mode 0 = (0.0,0.1) ↓
    ");
}

#[test]
fn three_modes_are_mode_0_by_the_rest() {
    insta::assert_snapshot!(drawn("(2,3,2):(1,2,6)"), @r"
    (2,3,2):(1,2,6)   size 12, cosize 12

          modes 1, 2 →
      2   ╭─ 0 ──╮   ╭─ 1 ──╮
      1    0  1  2    0  1  2
        ┌──────────┬──────────┐
    0   │  0  2  4 │  6  8 10 │
    1   │  1  3  5 │  7  9 11 │
        └──────────┴──────────┘
    mode 0 ↓
    ");
}

#[test]
fn a_swizzled_layout_shows_where_its_chunks_go() {
    insta::assert_snapshot!(drawn("Sw<2,0,2> o 0 o (4,4):(4,1)"), @r"
    Sw<2,0,2> o 0 o (4,4):(4,1)   size 16

          mode 1 →
           0  1  2  3
        ┌─────────────┐
    0   │  0  1  2  3 │
    1   │  5  4  7  6 │
    2   │ 10 11  8  9 │
    3   │ 15 14 13 12 │
        └─────────────┘
    mode 0 ↓
    ");
}

#[test]
fn basis_strides_show_points() {
    insta::assert_snapshot!(drawn("(2,3):(1@0,1@1)"), @r"
    (2,3):(1@0,1@1)   size 6, cosize 6

          mode 1 →
              0     1     2
        ┌───────────────────┐
    0   │ (0,0) (0,1) (0,2) │
    1   │ (1,0) (1,1) (1,2) │
        └───────────────────┘
    mode 0 ↓
    ");
}

#[test]
fn a_large_layout_says_what_is_shown() {
    let text = drawn("(128,(8,1000000)):(1,(128,1024))");
    assert!(
        text.contains("shows rows 0-31 of 128, columns 0-31 of 8000000"),
        "{text}"
    );
    assert!(text.lines().count() < 50, "{text}");
}

#[test]
fn a_layout_that_repeats_offsets_says_so() {
    assert!(drawn("(4,2):(1,0)").contains("8 coordinates share 4 offsets"));
}

#[test]
fn the_value_of_an_expression_is_drawn() {
    assert_eq!(
        drawn("logical_divide((4,4):(1,4), <2,2>)"),
        drawn("((2,2),(2,2)):((1,2),(4,8))")
    );
}

#[test]
fn run_time_sizes_have_to_be_assumed() {
    let answer = ask(&["draw", "(M,4):(1,M)"]).ends_with(1);
    assert!(answer.stderr.contains("--assume 'M="), "{}", answer.stderr);
    let assumed = ask(&["draw", "(M,4):(1,M)", "--assume", "M=2"]).ends_with(0);
    let grid = |text: &str| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>();
    assert_eq!(grid(&assumed.stdout), grid(&drawn("(2,4):(1,2)")));
}

#[test]
fn files_are_written_by_their_ending() {
    let folder = TempDir::new().unwrap();
    let expression = "((2,2),4):((1,8),2)";
    for (name, begins) in [
        ("a.svg", "<svg "),
        ("a.txt", "((2,2),4)"),
        ("a.tex", "% needs"),
        ("a.json", "{\"kind\":\"layout\""),
        ("a.html", "<!doctype html>"),
    ] {
        let path = folder.path().join(name);
        ask(&["draw", expression, "-o", path.to_str().unwrap()]).ends_with(0);
        let content = std::fs::read_to_string(&path).unwrap();
        assert!(content.starts_with(begins), "{name}: {content}");
    }
    let nowhere = folder.path().join("no/such/folder/a.svg");
    ask(&["draw", expression, "-o", nowhere.to_str().unwrap()]).ends_with(2);
}

#[test]
fn svg_is_one_well_formed_document() {
    let svg = ask(&["draw", "((2,2),(3,2)):((1,6),(2,12))", "--format", "svg"])
        .ends_with(0)
        .stdout;
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"));
    assert!(svg.contains("prefers-color-scheme:dark"));
    assert_eq!(svg.matches("<g ").count(), 24);
    for element in ["text", "g", "style", "title", "desc"] {
        let opened = svg.matches(&format!("<{element} ")).count()
            + svg.matches(&format!("<{element}>")).count();
        assert_eq!(
            opened,
            svg.matches(&format!("</{element}>")).count(),
            "{element}"
        );
    }
}

#[test]
fn the_picture_as_data_has_every_cell() {
    let json = ask(&["draw", "(4,3):(3,1)", "--format", "json"])
        .ends_with(0)
        .stdout;
    let sheet: serde_json::Value = serde_json::from_str(&json).unwrap();
    let picture = &sheet["panels"][0];
    let offsets: Vec<&str> = picture["cells"]
        .as_array()
        .unwrap()
        .iter()
        .flat_map(|row| row.as_array().unwrap())
        .map(|cell| cell["offset"].as_str().unwrap())
        .collect();
    assert_eq!(
        offsets,
        ["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11"]
    );
    assert_eq!(picture["rows"]["extent"], 4);
    assert_eq!(picture["columns"]["levels"][0]["mode"], "1");
}

/// The cells of the panels of a picture, row by row.
fn cells(arguments: &[&str]) -> (serde_json::Value, Vec<Vec<Vec<String>>>) {
    let mut all = vec!["draw", "--format", "json"];
    all.extend(arguments);
    let sheet: serde_json::Value = serde_json::from_str(&ask(&all).ends_with(0).stdout).unwrap();
    let text = |cell: &serde_json::Value| cell["text"].as_str().unwrap().to_owned();
    let row = |row: &serde_json::Value| row.as_array().unwrap().iter().map(text).collect();
    let panel = |panel: &serde_json::Value| {
        let rows = panel["cells"].as_array().unwrap();
        rows.iter().map(row).collect()
    };
    let panels = sheet["panels"].as_array().unwrap();
    let shown = panels.iter().map(panel).collect();
    (sheet, shown)
}

#[test]
fn banks_are_drawn_for_the_type_of_the_elements() {
    let (_, banks) = cells(&["(4,4):(32,1)", "--by", "bank"]);
    assert!(banks[0].iter().all(|row| row == &["0", "1", "2", "3"]));
    // Two halves share a bank, and the swizzle moves rows to other ones.
    let swizzled = "Sw<3,3,3> o 0 o (8,64):(64,1)";
    let (_, banks) = cells(&[swizzled, "--by", "bank", "--type", "half_t"]);
    let column: Vec<&str> = banks[0].iter().map(|row| row[0].as_str()).collect();
    assert_eq!(column, ["0", "4", "8", "12", "16", "20", "24", "28"]);
    assert_eq!(banks[0][0][..3], ["0", "0", "1"]);
    ask(&["draw", "4:1", "--by", "bank", "--type", "whatever"]).ends_with(2);
    ask(&["draw", "(4,4):(E<0>{},E<1>{})", "--by", "bank"]).ends_with(1);
}

#[test]
fn a_tile_shows_who_has_its_cells() {
    let fragment = "((4,8),2):((16,1),8)";
    let (sheet, owners) = cells(&[fragment, "--by", "thread", "--tile", "(8,8)"]);
    assert_eq!(sheet["kind"], "thread-value");
    assert_eq!(owners[0][0][..3], ["T0 V0", "T0 V1", "T1 V0"]);
    assert_eq!(owners[0][7][0], "T28 V0");
    let (coloured, same) = cells(&[fragment, "--by", "value", "--tile", "(8,8)"]);
    assert_eq!(owners, same);
    let class = |sheet: &serde_json::Value| sheet["panels"][0]["cells"][7][0]["class"].clone();
    assert_eq!((class(&sheet), class(&coloured)), (4.into(), 0.into()));
    // The accumulator of this instruction is that fragment, twice.
    let (_, of_an_mma) = cells(&["SM80_16x8x8_F32F16F16F32_TN{}", "--by", "value"]);
    assert_eq!(of_an_mma[2][..8], owners[0]);
    ask(&["draw", fragment, "--by", "thread", "--tile", "(8,"]).ends_with(2);
}

/// The data of a page.
fn page(arguments: &[&str]) -> serde_json::Value {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("page.html");
    let mut all = vec!["draw", "-o", file.to_str().unwrap()];
    all.extend(arguments);
    ask(&all).ends_with(0);
    let html = std::fs::read_to_string(file).unwrap();
    let data = html.split_once("id=\"data\"").unwrap().1;
    let data = data.split_once('>').unwrap().1;
    let data = data.split_once("</script>").unwrap().0;
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_page_shows_all_of_a_layout_that_a_text_would_cut() {
    let page = page(&["(128,64):(64,1)"]);
    let grid = &page[0]["grids"][0];
    assert_eq!(grid["rows"]["shown"], 128);
    assert_eq!(grid["offsets"].as_array().unwrap().len(), 128 * 64);
    // Row 1, column 0: index 1, offset 64, which is byte 128 for 16-bit elements: bank 0 again.
    assert_eq!(grid["indices"][64], 1);
    assert_eq!(grid["offsets"][64], 64);
    let banks = grid["banks"][1]["cells"].as_str().unwrap();
    assert_eq!(
        (grid["banks"][1]["bits"].as_i64(), &banks[64..65]),
        (Some(16), "0")
    );
}

#[test]
fn a_page_of_a_composition_says_which_cells_are_the_same() {
    let page = page(&["composition((6,2):(8,2), (4,3):(3,1))", "--operands"]);
    assert_eq!(page[0]["kind"], "composition");
    assert_eq!(
        page[0]["links"],
        serde_json::json!([
            {"from": 2, "to": 1, "of": "index", "is": "index"},
            {"from": 1, "to": 0, "of": "offset", "is": "index"}
        ])
    );
    let steps = page[0]["derivation"].as_array().unwrap();
    assert!(steps.len() > 1, "{steps:?}");
}

#[test]
fn a_page_has_the_table_of_threads_and_values() {
    let page = page(&["SM80_16x8x8_F32F16F16F32_TN{}"]);
    let accumulator = &page[0]["grids"][2];
    let owners = &accumulator["owners"];
    assert_eq!(
        (&owners["threads"], &owners["values"]),
        (&32.into(), &4.into())
    );
    let names: Vec<&str> = owners["value_levels"]
        .as_array()
        .unwrap()
        .iter()
        .map(|level| level["mode"].as_str().unwrap())
        .collect();
    assert_eq!(names, ["0", "1"]);
    // PTX: thread 1 has columns 2 and 3 of row 0, then of row 8; a column has 16 rows.
    let cells = owners["cells"].as_array().unwrap();
    let of_thread_1: Vec<i64> = (0..4)
        .map(|value| cells[1 + 32 * value].as_i64().unwrap())
        .collect();
    assert_eq!(of_thread_1, [32, 48, 40, 56]);
}

#[test]
fn two_expressions_are_compared_on_a_page_only() {
    let both = page(&["(8,8):(8,1)", "--against", "(8,8):(1,8)"]);
    assert_eq!(both.as_array().map(Vec::len), Some(2));
    let refused = ask(&["draw", "(8,8):(8,1)", "--against", "(8,8):(1,8)"]).ends_with(2);
    assert!(refused.stderr.contains(".html"), "{}", refused.stderr);
}

#[test]
fn banks_of_a_page_are_those_of_the_type() {
    let page = page(&[
        "Sw<3,3,3> o 0 o (8,64):(64,1)",
        "--by",
        "bank",
        "--type",
        "half_t",
    ]);
    assert_eq!(page[0]["shown"], "bank");
    assert_eq!(page[0]["grids"][0]["banks"][0]["bits"], 16);
    assert_eq!(
        page[0]["grids"][0]["banks"].as_array().map(Vec::len),
        Some(1)
    );
}

#[test]
fn a_layout_of_triton_in_registers_shows_who_has_each_element() {
    insta::assert_snapshot!(drawn(
        "#ttg.blocked<{sizePerThread = [1, 2], threadsPerWarp = [8, 4], warpsPerCTA = [1, 1], order = [1, 0]}> on 2x8"
    ), @r"
    ((4,2,4),2):((4,1,0),2)   size 16
    32 threads (T), 2 values (V) each; colour: thread modulo 8
    `+3`: 3 more have the same element

          mode 1 →
                 0        1        2        3        4        5        6        7
        ┌─────────────────────────────────────────────────────────────────────────┐
    0   │ T0 V0 +3 T0 V1 +3 T1 V0 +3 T1 V1 +3 T2 V0 +3 T2 V1 +3 T3 V0 +3 T3 V1 +3 │
    1   │ T4 V0 +3 T4 V1 +3 T5 V0 +3 T5 V1 +3 T6 V0 +3 T6 V1 +3 T7 V0 +3 T7 V1 +3 │
        └─────────────────────────────────────────────────────────────────────────┘
    mode 0 ↓
    ");
}

#[test]
fn a_layout_of_triton_in_shared_memory_shows_offsets() {
    insta::assert_snapshot!(drawn(
        "#ttg.swizzled_shared<{vec = 2, perPhase = 1, maxPhase = 2, order = [1, 0]}> on 2x8"
    ), @r"
    Sw<1,1,2> o 0 o (2,8):(8,1)   size 16
    one colour per 2 offsets, the chunk that the swizzle moves

          mode 1 →
           0  1  2  3  4  5  6  7
        ┌─────────────────────────┐
    0   │  0  1  2  3  4  5  6  7 │
    1   │ 10 11  8  9 14 15 12 13 │
        └─────────────────────────┘
    mode 0 ↓
    ");
}

#[test]
fn a_layout_of_triton_by_value_shows_the_same_owners() {
    let text = "#ttg.linear<{register = [[0, 1], [1, 1]], lane = [[0, 2], [1, 0], [0, 0], [0, 0], [0, 0]], warp = []}>";
    let by_value = ask(&["draw", text, "--by", "value"]).ends_with(0).stdout;
    let by_thread = ask(&["draw", text]).ends_with(0).stdout;
    assert!(by_thread.contains("T2 V0 +15"), "{by_thread}");
    assert!(by_value.contains("colour: value modulo"), "{by_value}");
    assert_eq!(
        by_value.replace("colour: value", "colour: thread"),
        by_thread
    );
}

#[test]
fn operands_of_a_warp_group_are_values_that_its_threads_share() {
    let text = ask(&[
        "draw",
        "SM90_64x16x16_F32F16F16_SS<GMMA::Major::K,GMMA::Major::K>{}",
    ]);
    let text = text.ends_with(0).stdout;
    let shared = "128 threads share 1024 values (V) in shared memory; colour: value modulo 8";
    assert!(text.contains(shared), "{text}");
    assert!(
        text.contains("128 threads (T), 8 values (V) each; colour: thread modulo 8"),
        "{text}"
    );
    assert!(!text.contains("+127"), "{text}");
}

#[test]
fn operands_of_tcgen05_are_of_ctas_and_its_sums_in_lanes_and_columns() {
    let atom = |ctas: &str, rows: i64| {
        format!(
            "SM100_MMA_F16BF16_{ctas}SS<half_t,half_t,float,{rows},64,UMMA::Major::K,UMMA::Major::K>{{}}"
        )
    };
    let (sheet, one) = cells(&[&atom("", 128)]);
    assert_eq!(one[0][3][1], "V131");
    assert_eq!(one[2][5][8], "L5 C8");
    let notes = |panel: usize| sheet["panels"][panel]["notes"].to_string();
    assert!(
        notes(0).contains("1 CTA, 2048 values (V) in shared memory"),
        "{}",
        notes(0)
    );
    let columns = "1 CTA, 8192 values by lane (L) and column (C) in tensor memory";
    assert!(notes(2).contains(columns), "{}", notes(2));
    // With 64 rows, 16 of each 32 lanes are used.
    let (_, half) = cells(&[&atom("", 64)]);
    assert_eq!(half[2][20][0], "L36 C0");
    let (sheet, pair) = cells(&[&atom("2x1SM_", 256), "--rows", "256"]);
    assert_eq!(pair[0][130][0], "CTA1 V2");
    assert_eq!(pair[2][130][3], "CTA1 L2 C3");
    let note = sheet["panels"][2]["notes"].to_string();
    assert!(
        note.contains("2 CTAs, 8192 values") && note.contains("colour: CTA"),
        "{note}"
    );
    assert_eq!(sheet["panels"][2]["owners"]["holder"], "cta");
}

#[test]
fn an_mma_in_characters_has_a_left_of_c_and_b_above_it() {
    let text = ask(&["draw", "SM80_16x8x8_F32F16F16F32_TN{}"])
        .ends_with(0)
        .stdout;
    let starts = |caption: &str| {
        let mut lines = text.lines().enumerate();
        lines.find_map(|(at, line)| Some((at, line.find(caption)?)))
    };
    let [a, b, c] = ["A: ", "B: ", "C: "].map(|caption| starts(caption).expect(caption));
    assert_eq!(a.1, 0);
    assert!(b.0 < a.0 && b.1 > 0 && c.1 == b.1, "{text}");
    // The first rows are beside each other.
    let corners = |line: &&str| line.matches('┌').count() == 2;
    assert_eq!(text.lines().filter(corners).count(), 1, "{text}");
}

#[test]
fn an_operand_that_warp_groups_share_is_drawn_once() {
    let mma = "make_tiled_mma(SM90_64x128x16_F32F16F16_SS<GMMA::Major::K, GMMA::Major::K>{}, (2,1,1):(1,0,0))";
    let drawn = ask(&["draw", mma, "--format", "json"]).ends_with(0).stdout;
    let drawn: serde_json::Value = serde_json::from_str(&drawn).unwrap();
    let owners = &drawn["panels"][1]["owners"];
    assert_eq!(owners["threads"], 256);
    assert_eq!(owners["alike"], 256);
    let values = owners["values"].as_u64().unwrap();
    assert_eq!(owners["cells"].as_array().unwrap().len() as u64, values);
    let sums = &drawn["panels"][2]["owners"];
    assert_eq!(
        sums["alike"],
        serde_json::Value::Null,
        "each thread has its own sums"
    );
}
