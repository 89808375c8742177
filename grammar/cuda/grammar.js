/**
 * @file CUDA C++ as CuTe and CUTLASS write it: the CUDA grammar with the macros of these libraries
 * as attributes, and with the forms of C++ that their sources use and the C++ grammar lacks.
 */

const { readFileSync } = require('node:fs');
const { join } = require('node:path');
const CUDA = require('tree-sitter-cuda/grammar');

// Object-like macros that stand where an attribute may stand; one on a line.
const DECORATIONS = readFileSync(join(__dirname, 'decorations.txt'), 'utf8').split('\n').filter((word) => word);

// The same with arguments.
const DECORATIONS_WITH_ARGUMENTS = [
  '__block_size__', '__cluster_dims__', '__maxnreg__', '__pragma', '_Pragma', 'CUTLASS_DEPRECATED_MSG',
];

// Conditions that stand among template parameters.
const REQUIREMENTS = ['__CUTE_REQUIRES', '__CUTE_REQUIRES_V'];

/** `rule` with `by(part)` in the place of every part that `is` selects. */
function replaced(rule, is, by) {
  if (rule === null || typeof rule !== 'object') return rule;
  if (is(rule)) return by(rule);
  if (Array.isArray(rule)) return rule.map((part) => replaced(part, is, by));
  return Object.fromEntries(Object.entries(rule).map(([key, part]) => [key, replaced(part, is, by)]));
}

/** `rule` with more spellings of a keyword. */
function spelt(rule, keyword, ...others) {
  return replaced(rule, (part) => part.type === 'STRING' && part.value === keyword, (part) => choice(part, ...others));
}

/** `rule` with CUTLASS's word for `__global__`. */
function global(rule) {
  const isGlobal = (part) => part.type === 'STRING' && part.value === '__global__';
  return replaced(rule, isGlobal, (part) => choice(part, alias('CUTLASS_GLOBAL', '__global__')));
}

/** `rule` with more forms of a part of it, of this type and name. */
function widened(rule, type, name, ...more) {
  return replaced(rule, (part) => part.type === type && part.name === name, (part) => choice(part, ...more));
}

/**
 * `rule` with a token for `>=` that wins against `>`. The C++ grammar lets `>` win against all that
 * begins with it, so that `>>` closes two lists, and then misreads `A<(x >= 4)>` without parentheses.
 */
function withLongGreaterEqual(rule) {
  const isGreaterEqual = (part) => part.type === 'STRING' && part.value === '>=';
  return replaced(rule, isGreaterEqual, () => alias(token(prec(1, '>=')), '>='));
}

module.exports = grammar(CUDA, {
  name: 'cute_cuda',

  conflicts: ($, original) => original.concat([
    [$.template_type, $.template_method, $.dependent_field_identifier],
    [$._declaration_specifiers, $._constructor_specifiers, $.friend_declaration],
    [$._declarator, $.call_expression],
    [$.type_specifier, $._class_name],
    [$.type_specifier, $.call_expression, $._class_name],
  ]),

  externals: ($, original) => original.concat([$._opening_angle]),

  inline: ($, original) => original.concat([$._type_of_value]),

  rules: {
    // Macros

    decoration: _ => choice(...DECORATIONS),
    decoration_with_arguments: $ => seq(choice(...DECORATIONS_WITH_ARGUMENTS), $.argument_list),
    attribute_declaration: ($, original) => choice(original, $.decoration, $.decoration_with_arguments),
    // It may have a third argument.
    launch_bounds: $ => seq('__launch_bounds__', $.argument_list),
    ms_declspec_modifier: $ => seq('__declspec', $.argument_list),
    _declaration_modifiers: (_, original) => global(original),
    type_qualifier: (_, original) => choice(global(original), 'CUTE_RESTRICT', 'CUTLASS_RESTRICT'),
    alignas_qualifier: (_, original) =>
      spelt(original, 'alignas', '__align__', '__CUDA_ALIGN__', 'CUTE_ALIGNAS', 'CUTLASS_ALIGN', 'CUTLASS_ALIGNAS'),
    static_assert_declaration: (_, original) =>
      spelt(original, 'static_assert', 'CUTE_STATIC_ASSERT', 'CUTE_STATIC_ASSERT_V'),
    if_statement: (_, original) => spelt(original, 'constexpr', 'CUTLASS_CONSTEXPR_IF_CXX17'),
    requirement: $ => seq(choice(...REQUIREMENTS), $.argument_list),
    template_parameter_list: ($, original) => widened(original, 'SYMBOL', 'parameter_declaration', $.requirement),
    // `CHECK(f(x), return false)`
    _returned: $ => seq('return', optional($.expression)),
    argument_list: ($, original) =>
      widened(original, 'SYMBOL', 'compound_statement', alias($._returned, $.return_statement)),

    // Types and operators in expressions: `typename T::X{}`, `decltype(x){}`, `typename T::X(y)`,
    // `unsigned(x)`, `operator++()`

    _type_of_value: $ => choice(seq('typename', $._class_name), $.decltype),
    compound_literal_expression: ($, original) => choice(
      original,
      seq(field('type', $._type_of_value), field('value', $.initializer_list)),
    ),
    call_expression: ($, original) => choice(
      original,
      seq(
        field('function', choice($._type_of_value, $.sized_type_specifier, $.operator_name)),
        field('arguments', $.argument_list),
      ),
    ),
    // With its semicolon, which tells it from `typename T::X{}`.
    type_requirement: $ => seq('typename', $._class_name, ';'),
    // `decltype(f(x), void())`
    decltype: ($, original) => widened(original, 'SYMBOL', 'expression', $.comma_expression),
    // `x.template f(y)`
    dependent_field_identifier: ($, original) => widened(original, 'SYMBOL', 'template_method', $._field_identifier),
    // `(y = 5, y * 2)`
    parenthesized_expression: ($, original) => choice(
      original,
      seq('(', alias($._assignment_and_more, $.comma_expression), ')'),
    ),
    _assignment_and_more: $ => seq(
      field('left', alias($._assignment_expression_lhs, $.assignment_expression)),
      ',',
      field('right', choice($.expression, $.comma_expression)),
    ),
    binary_expression: (_, original) => withLongGreaterEqual(original),
    _fold_operator: (_, original) => withLongGreaterEqual(original),
    _binary_fold_operator: (_, original) => withLongGreaterEqual(original),
    operator_name: (_, original) => withLongGreaterEqual(original),
    preproc_binary_expression: (_, original) => withLongGreaterEqual(original),

    // Templates

    // A `<` that the scanner knows to open a list is no comparison. One that it does not know may be both.
    template_argument_list: ($, original) =>
      replaced(original, (part) => part.type === 'STRING' && part.value === '<', (part) =>
        choice(part, alias($._opening_angle, '<'))),

    // Declarations

    // `using typename Base::X;`
    using_declaration: (_, original) => spelt(original, 'enum', 'typename'),
    // `T x = {1, 2}`
    optional_parameter_declaration: ($, original) =>
      replaced(original, (part) => part.name === 'default_value', (part) =>
        field('default_value', choice(part.content, $.initializer_list))),
    // `enum : int {..}`
    enum_specifier: ($, original) => choice(
      original,
      prec.right(seq('enum', $._enum_base_clause, field('body', $.enumerator_list))),
    ),
    // `int x : 14, : 2;`
    field_declaration: ($, original) =>
      replaced(original, (part) => part.type === 'SEQ' && part.members[0].name === 'declarator', (part) =>
        choice(part, $.bitfield_clause)),
    // `void f() = delete;` outside of classes
    function_definition: ($, original) =>
      widened(original, 'FIELD', 'body', $.default_method_clause, $.delete_method_clause),
    // `CUTE_HOST_DEVICE friend void f();`
    friend_declaration: ($, original) =>
      replaced(original, (part) => part.type === 'CHOICE' && part.members[0].value === 'constexpr', () =>
        repeat($._declaration_modifiers)),
  },
});
