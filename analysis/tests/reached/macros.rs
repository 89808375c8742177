//! Instances made by macros are like written ones: dispatches, lists, definitions in functions.

use cute_analysis::Options;

use super::instances;
use crate::support::analysed;

/// The values of `tile` in a function of a truth value and a type, of which `uses` are made.
fn tiles(uses: &str) -> Vec<String> {
    let text = format!(
        "using namespace cute;
template <class T, bool F = true> int run(T* p) {{
  auto tile = make_layout(Shape<Int<F ? 8 : 16>, Int<sizeof(T)>>{{}});
  return 0;
}}
{uses}"
    );
    let mut tiles = instances(&analysed(&text, &Options::default()), "tile");
    tiles.sort();
    tiles.dedup();
    tiles
}

const OPEN: [&str; 1] = ["(_8,sizeof(T)):(_1,_8)"];
const FLOAT: [&str; 1] = ["(_8,_4):(_1,_8)"];
const BOTH: [&str; 2] = ["(_16,_4):(_1,_16)", "(_8,_4):(_1,_8)"];
const TYPES: [&str; 2] = ["(_8,_4):(_1,_8)", "(_8,_8):(_1,_8)"];

/// Dispatches as projects write them.
const DISPATCHES: &str = "
#define IF_SWITCH(CONDITION, FLAG, ...) \\
  if (CONDITION) {                      \\
    constexpr bool FLAG = true;         \\
    { __VA_ARGS__ }                     \\
  } else {                              \\
    constexpr bool FLAG = false;        \\
    { __VA_ARGS__ }                     \\
  }
#define DO_SWITCH(CONDITION, FLAG, ...) \\
  do {                                  \\
    if (CONDITION) { constexpr bool FLAG = true; __VA_ARGS__; break; } \\
    { constexpr bool FLAG = false; __VA_ARGS__; } \\
  } while (0)
#define BOOL_SWITCH(CONDITION, FLAG, ...) [&] {     \\
    if (CONDITION) { constexpr static bool FLAG = true; return __VA_ARGS__(); } \\
    else { constexpr static bool FLAG = false; return __VA_ARGS__(); } \\
  }()
#define OTHER_SWITCH BOOL_SWITCH
#define TYPE_SWITCH(DTYPE, TYPE, ...) \\
  switch (DTYPE) {                    \\
    case 0: { using TYPE = float; { __VA_ARGS__ } } break; \\
    case 1: { using TYPE = double; { __VA_ARGS__ } } break; \\
    default: throw DTYPE;             \\
  }
#define CASE(VALUE, ALIAS, TYPE, ...) case VALUE: { using ALIAS = TYPE; return __VA_ARGS__(); }
#define CASES(...) CASE(0, scalar_t, float, __VA_ARGS__) CASE(1, scalar_t, double, __VA_ARGS__)
#define SWITCH(DTYPE, ...) [&] { switch (DTYPE) { __VA_ARGS__ default: break; } }()
#define DISPATCH(DTYPE, ...) SWITCH(DTYPE, CASES(__VA_ARGS__))
#define EACH(...) { __VA_ARGS__ }
#define CHECKED(call) do { auto status = (call); if (status) return; } while (0)
";

#[test]
fn each_branch_of_a_dispatch_makes_its_instances() {
    for (dispatch, expected) in [
        ("IF_SWITCH(c, F, run<float, F>(p);)", &BOTH[..]),
        ("IF_SWITCH(c, F, run<float, F>(p););", &BOTH),
        ("IF_SWITCH(c, F, { run<float, F>(p); });", &BOTH),
        ("if (c) IF_SWITCH(c, F, run<float, F>(p);)", &BOTH),
        ("DO_SWITCH(c, F, run<float, F>(p));", &BOTH),
        ("BOOL_SWITCH(c, F, [&] { run<float, F>(p); });", &BOTH),
        (
            "OTHER_SWITCH(c, F, [&] { OTHER_SWITCH(c, G, [&] { run<float, F && G>(p); }); });",
            &BOTH,
        ),
        (
            "IF_SWITCH(c, F, IF_SWITCH(c, G, run<float, F && G>(p);))",
            &BOTH,
        ),
        (
            "IF_SWITCH(c, F, if constexpr (F) { run<float, F>(p); })",
            &FLOAT,
        ),
        ("TYPE_SWITCH(d, T, run<T>((T*)p);)", &TYPES),
        (
            "TYPE_SWITCH(d, T, { using U = T; run<U>((U*)p); });",
            &TYPES,
        ),
        ("DISPATCH(d, [&] { run<scalar_t>((scalar_t*)p); });", &TYPES),
        ("EACH(run<float>(p);)", &FLOAT),
        ("EACH(run<float, true>(p); int a, b;)", &FLOAT),
        ("CHECKED(run<float>(p));", &FLOAT),
        (
            "TYPE_SWITCH(d, T, IF_SWITCH(c, F, run<T, F && sizeof(T) == 4>((T*)p);))",
            &["(_16,_4):(_1,_16)", "(_16,_8):(_1,_16)", "(_8,_4):(_1,_8)"],
        ),
    ] {
        let uses = format!("{DISPATCHES}void host(float* p, bool c, int d) {{ {dispatch} }}");
        assert_eq!(tiles(&uses), expected, "{dispatch}");
    }
}

#[test]
fn what_a_macro_does_not_come_to_makes_no_instance() {
    for uses in [
        // Never called.
        "#define RUN(T) run<T>((T*)nullptr);\nvoid host() {}",
        // Taken back, or defined again, before it is called.
        "#define RUN(T) run<T>((T*)nullptr);\n#undef RUN\n#define RUN(T)\nvoid host() { RUN(float) }",
        "#define RUN(T) template int run<T>(T*);\n#undef RUN\nRUN(float)",
        // Left out.
        "#if 0\n#define RUN(T) run<T>((T*)nullptr);\n#else\n#define RUN(T)\n#endif\nvoid host() { RUN(float) }",
        "#define RUN(T) template int run<T>(T*);\n#if 0\nRUN(float)\n#endif\n",
        // What it is given is thrown away, or becomes a string.
        "#define NOTHING(...)\nvoid host(float* p) { NOTHING(run<float>(p);) }",
        "#define NAME(...) log(#__VA_ARGS__)\nvoid host(float* p) { NAME(run<float>(p)); }",
        // In its own replacement it is not a macro.
        "#define RUN(T) RUN(T);\nvoid host() { RUN(float) }",
        // The branch that is not instantiated.
        "#define ONLY(F, ...) if constexpr (F) { __VA_ARGS__ }
template <bool F> void never(float* p) { ONLY(F, run<float>(p);) }
void host(float* p) { never<false>(p); }",
    ] {
        assert_eq!(tiles(uses), OPEN, "{uses}");
    }
}

#[test]
fn statements_that_an_unknown_macro_is_given_are_read() {
    let uses = "void host(float* p, int d) { UNSEEN_DISPATCH(d, T, { run<float>(p); }); }";
    assert_eq!(tiles(uses), FLOAT);
    // Nor whether it returns.
    let uses = "void host(float* p) { UNSEEN_CHECK(f(p), return); run<float>(p); }";
    assert_eq!(tiles(uses), FLOAT);
    let uses = "#define CHECK(call, handler) do { auto e = (call); if (e) { handler; } } while (0)
void host(float* p) { CHECK(f(p), return); run<float>(p); }";
    assert_eq!(tiles(uses), FLOAT);
    // What the macro would name is not guessed.
    let uses = "void host(float* p, int d) { UNSEEN_DISPATCH(d, T, { run<T>((T*)p); }); }";
    assert_eq!(tiles(uses), ["?"]);
}

#[test]
fn macros_declare_instances_at_file_scope() {
    for uses in [
        "#define INST(T) template int run<T>(T*);\nINST(float)\nINST(double)\nint behind;",
        "#define INST(T) template int run<T>(T*);\nINST(float);\nINST(double);",
        "#define INST(T) template int run<T>(T*)\nINST(float);\nINST(double);",
        "#define LIST(X) X(float) X(double)\n#define INST(T) template int run<T>(T*);\nLIST(INST)\n#undef INST\n#undef LIST",
        "namespace inner {\n#define INST(T) template int run<T>(T*);\nINST(float)\nINST(double)\n}",
        "#define HOST(name, T) void name(T* p) { run<T>(p); }\nHOST(one, float)\nHOST(two, double)",
        "#define INST(T, ...) template int run<T, ##__VA_ARGS__>(T*);\nINST(float)\nINST(double, true)\nint behind;",
        "#define INST(name, T) void host_##name(T* p) { run<T>(p); }\nINST(one, float)\nINST(two, double)",
    ] {
        assert_eq!(tiles(uses), TYPES, "{uses}");
    }
}

#[test]
fn a_macro_that_a_function_defines_is_in_force() {
    for (uses, expected) in [
        (
            "void host(float* p) {\n#define TYPE float\n  run<TYPE>(p);\n}",
            &FLOAT[..],
        ),
        (
            "void host(float* p, bool c) {\n#define RUN(F) run<float, F>(p)\n  RUN(true);\n  RUN(false);\n#undef RUN\n}",
            &BOTH,
        ),
        // Behind the function, too.
        (
            "void first() {\n#define RUN(T) run<T>((T*)nullptr);\n}\nvoid host() { RUN(float) }",
            &FLOAT,
        ),
        (
            "void host(float* p) {\n#define ONE OTHER\n#define OTHER ONE\n  run<ONE>(p);\n}",
            &["?"],
        ),
        // Which of them is compiled is not known.
        (
            "void host(float* p) {\n#if WIDE(3)\n#define KIND true\n#else\n#define KIND false\n#endif\n  run<float, KIND>(p);\n}",
            &["((F ? 8 : 16),_4):(_1,(F ? 8 : 16))"],
        ),
    ] {
        assert_eq!(tiles(uses), expected, "{uses}");
    }
}

#[test]
fn a_macro_is_the_one_in_force_where_it_is_called() {
    let uses = "#define RUN(T) run<T>((T*)nullptr)
void one() { RUN(float); }
#undef RUN
#define RUN(T) run<double>((double*)nullptr)
void two() { RUN(float); }
#undef RUN";
    assert_eq!(tiles(uses), TYPES);
}
