; Names first: what is more special comes later and wins.

(path (identifier) @variable)

(path "::" @punctuation.delimiter)

(call
  function: (path (identifier) @function.call .))

(call
  function: (path (identifier) @function.call . (template_arguments) .))

(construction
  type: (path (identifier) @type .))

(construction
  type: (path (identifier) @type . (template_arguments) .))

((path . (identifier) @constant.builtin .)
  (#any-of? @constant.builtin "LayoutLeft" "LayoutRight"))

; Extents, strides and what stands for them

(integer) @number

(static_integer) @number

(basis_vector) @constant

(nested_basis_vector "E" @constant)

(xor_stride) @constant

(unknown "?" @constant.builtin)

(unknown "div" @property)

(underscore) @character.special

(basis "@" @operator)

(layout ":" @operator)

; Swizzles and pointers

(swizzle
  [
    "Sw"
    "S"
    "Swizzle"
  ] @type.builtin)

(pointer
  space: (identifier) @type.builtin)

(pointer "b" @keyword.modifier)

(address) @string.special

; Operations

(composition
  [
    "o"
    "∘"
  ] @operator)

(division
  [
    "(/)"
    "⊘"
  ] @operator)

(product
  [
    "(*)"
    "⊗"
  ] @operator)

(binary_expression
  operator: _ @operator)

(negation "-" @operator)

(assertion
  [
    "="
    "=="
  ] @operator)

; Directives

(directive "cute" @keyword.directive)

[
  "assume"
  "allow"
  "run"
  "instantiate"
] @keyword.directive

(run
  what: _ @attribute)

[
  "dst"
  "n"
] @property

(subject (identifier) @variable)

(rule) @label

(fact
  [
    "="
    "=="
    ">="
    "%"
  ] @operator)

; Punctuation

[
  ","
  ";"
] @punctuation.delimiter

[
  "("
  ")"
  "["
  "]"
  "{"
  "}"
  "<"
  ">"
] @punctuation.bracket
