/**
 * @file The notation of CuTe layouts: layouts, strides over integers, bases and xor, swizzles,
 *   tilers, the operations on them, assertions about them, and the directives of cute-analyzer.
 * @license MIT OR Apache-2.0
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

/** One or more, with a separator between. */
const list1 = (separator, rule) => seq(rule, repeat(seq(separator, rule)));

/** None or more, with a separator between. */
const list = (separator, rule) => optional(list1(separator, rule));

/** Words that mean something in one place and are ordinary names everywhere else. */
const SWIZZLE = choice("Sw", "S", "Swizzle");

export default grammar({
  name: "cute",

  word: ($) => $.identifier,

  // White space of any script is free, line ends too: items are separated by `;`.
  extras: (_) => [/\p{White_Space}/u],

  supertypes: ($) => [$.expression],

  // There are no conflicts to be explored at run time (`conflicts`, `prec.dynamic`): the notation
  // is LR(1). The only precedences are those of the words above over the names that they could be.

  rules: {
    source_file: ($) => seq(list(";", $._item), optional(";")),

    _item: ($) => choice($.directive, $.assertion, $.expression),

    // ---- Directives: what comments tell cute-analyzer ----

    // `cute:` begins a directive, also where `cute` could be the shape of a layout.
    directive: ($) =>
      prec(1, seq("cute", ":", choice($.assume, $.allow, $.run, $.instantiate))),

    // `assume m=5120, ldA % 8 == 0`
    assume: ($) => seq("assume", list1(",", $.fact)),

    fact: ($) =>
      seq(
        field("subject", $.subject),
        choice(
          seq(choice("=", "==", ">="), field("value", $._signed_integer)),
          seq("%", field("divisor", $._signed_integer), "==", field("value", $._signed_integer)),
        ),
      ),

    // `m`, `params.ldA`, `Traits::kBlockM`
    subject: ($) => list1(choice(".", "::"), $.identifier),

    // `allow(over-covers, not-injective)`
    allow: ($) => seq("allow", "(", list1(",", $.rule), ")"),

    rule: ($) => seq($.identifier, repeat(seq(token.immediate("-"), token.immediate(/[A-Za-z0-9]+/)))),

    // `run offsets n=1000`, `run copy dst=sB`, `run banks`, `run tma`, `run`
    run: ($) =>
      seq(
        "run",
        optional(field("what", choice("offsets", "copy", "banks", "tma"))),
        repeat(choice(field("destination", $.destination), field("samples", $.samples))),
      ),

    destination: ($) => seq("dst", "=", $.subject),

    samples: ($) => seq("n", "=", $.integer),

    // `instantiate gemm<128, half_t>`
    instantiate: ($) => seq("instantiate", field("target", $.path)),

    // ---- Assertions: `sA = (128,8):(1,128)`, `size(sA) == 1024` ----

    assertion: ($) =>
      seq(field("left", $.expression), choice("=", "=="), field("right", $.expression)),

    // ---- Operations on layouts, from left to right ----

    expression: ($) => choice($.composition, $.division, $.product, $._mapping),

    composition: ($) =>
      seq(field("left", $.expression), choice("o", "∘"), field("right", $._mapping)),

    division: ($) =>
      seq(field("left", $.expression), choice("(/)", "⊘"), field("right", $._mapping)),

    product: ($) =>
      seq(field("left", $.expression), choice("(*)", "⊗"), field("right", $._mapping)),

    _mapping: ($) => choice($.layout, $._sum),

    layout: ($) => seq(field("shape", $._sum), ":", field("stride", $._sum)),

    // ---- Arithmetic of extents and strides ----

    _sum: ($) => choice(alias($._addition, $.binary_expression), $._stride),

    _addition: ($) =>
      seq(field("left", $._sum), field("operator", choice("+", "-")), field("right", $._stride)),

    _stride: ($) => choice($.basis, $._term),

    // `1@0`, `1/2@0`, `1@0@1` (mode 0 of mode 1): the whole term is the count.
    basis: ($) =>
      seq(field("count", $._term), repeat1(seq("@", field("mode", $.integer)))),

    _term: ($) => choice(alias($._multiplication, $.binary_expression), $._factor),

    _multiplication: ($) =>
      seq(
        field("left", $._term),
        field("operator", choice("*", "/", "%")),
        field("right", $._factor),
      ),

    _factor: ($) =>
      choice(
        $.integer,
        $.static_integer,
        $.basis_vector,
        $.nested_basis_vector,
        $.xor_stride,
        $.unknown,
        $.underscore,
        $.negation,
        $.tuple,
        $.tiler,
        $.swizzle,
        $.pointer,
        $._named,
      ),

    negation: ($) => seq("-", field("operand", $._factor)),

    // ---- Leaves ----

    // These stand in front of `identifier`, which wins only where it is longer: `_8x`, `e1x`.

    integer: (_) => /[0-9]+|0[xX][0-9a-fA-F]+/,

    // `_8`, `_-1`: a compile-time integer, as CuTe prints it
    static_integer: (_) => /_-?[0-9]+/,

    // `e1`, `6e1`
    basis_vector: (_) => /[0-9]*e[0-9]+/,

    // `E<0,1>`, mode 1 of mode 0
    nested_basis_vector: ($) =>
      prec(1, seq("E", "<", list1(",", field("mode", $.integer)), ">", optional(seq("{", "}")))),

    // `f5`
    xor_stride: (_) => /f[0-9]+/,

    // `?`, `?{div=8}`
    unknown: ($) =>
      seq("?", optional(seq("{", "div", "=", field("divisor", $._signed_integer), "}"))),

    underscore: (_) => "_",

    // ---- Brackets ----

    tuple: ($) => seq("(", list(",", $.expression), ")"),

    // `<4:1, 8:2>`, `[4:1; 8:2]`
    tiler: ($) =>
      choice(
        seq("<", list(",", $.expression), ">"),
        seq("[", list(choice(";", ","), $.expression), "]"),
      ),

    // ---- Swizzles, and pointers as CuTe prints them ----

    // `Sw<3,4,3>`, `S<3,4,3>`, `Swizzle<3,4,3>{}`
    swizzle: ($) => seq($._swizzle_numbers, optional(seq("{", "}"))),

    _swizzle_numbers: ($) =>
      prec(
        1,
        seq(
          SWIZZLE,
          "<",
          field("bits", $._signed_integer),
          ",",
          field("base", $._signed_integer),
          ",",
          field("shift", $._signed_integer),
          ">",
        ),
      ),

    _signed_integer: ($) =>
      choice($.integer, $.static_integer, alias($._negative_integer, $.negation)),

    _negative_integer: ($) => seq("-", field("operand", choice($.integer, $.static_integer))),

    // `smem_ptr[16b](unset)`, `Sw<3,4,3>_smem_ptr[16b](PTR)`
    pointer: ($) =>
      seq(
        choice(
          field("space", $.identifier),
          seq(
            field("swizzle", alias($._swizzle_numbers, $.swizzle)),
            field("space", $.identifier),
          ),
        ),
        "[",
        field("width", $.integer),
        "b",
        "]",
        "(",
        optional(field("address", $.address)),
        ")",
      ),

    address: (_) => token(prec(-1, /[A-Za-z0-9_.]+/)),

    // ---- Names and what is called by them ----

    _named: ($) => choice($.path, $.call, $.construction),

    // `composition(A, B)`
    call: ($) => seq(field("function", $._named), field("arguments", $.arguments)),

    // `Int<8>{}`
    construction: ($) =>
      seq(field("type", $._named), "{", list(",", field("argument", $.expression)), "}"),

    arguments: ($) => seq("(", list(",", $.expression), ")"),

    // `M`, `cute::size<0>`, `::UMMA::DescriptorIterator`
    path: ($) => seq(optional("::"), list1("::", $._segment)),

    _segment: ($) => seq($._name, optional($.template_arguments)),

    template_arguments: ($) => seq("<", list(",", $.expression), ">"),

    _name: ($) =>
      choice($.identifier, prec(-1, alias(choice("o", "E", "cute", SWIZZLE), $.identifier))),

    // Not `_`, `_8` or `__`.
    identifier: (_) => /_*[A-Za-z][A-Za-z0-9_]*|_+[0-9][A-Za-z0-9_]*/,
  },
});
