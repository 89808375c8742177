//! CuTe's function objects, `plus{}`, `max_fn{}` (`cute/algorithm/functional.hpp`): classes without data, whose call is one
//! operator.

use tree_sitter_cute::tree::{BinaryOp, UnaryOp};

/// The operation of a function object on its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Functor {
    /// The operand as it is.
    Identity,
    Unary(UnaryOp),
    Binary(BinaryOp),
    /// The function of the vocabulary of this name.
    Function(&'static str),
}

/// The function object of a class name.
pub(crate) fn functor(name: &str) -> Option<Functor> {
    use BinaryOp::{
        Add, BitAnd, BitOr, BitXor, Div, Eq, Ge, Gt, Le, Lt, Mul, Ne, Rem, Shl, Shr, Sub,
    };
    Some(match name {
        "identity" | "unary_plus" => Functor::Identity,
        "negate" => Functor::Unary(UnaryOp::Minus),
        "bit_not" => Functor::Unary(UnaryOp::BitNot),
        "logical_not" => Functor::Unary(UnaryOp::Not),
        "abs_fn" => Functor::Function("abs"),
        "max_fn" => Functor::Function("max"),
        "min_fn" => Functor::Function("min"),
        "plus" => Functor::Binary(Add),
        "minus" => Functor::Binary(Sub),
        "multiplies" => Functor::Binary(Mul),
        "divides" => Functor::Binary(Div),
        "modulus" => Functor::Binary(Rem),
        "bit_and" => Functor::Binary(BitAnd),
        "bit_or" => Functor::Binary(BitOr),
        "bit_xor" => Functor::Binary(BitXor),
        "left_shift" => Functor::Binary(Shl),
        "right_shift" => Functor::Binary(Shr),
        "logical_and" => Functor::Binary(BinaryOp::And),
        "logical_or" => Functor::Binary(BinaryOp::Or),
        "equal_to" => Functor::Binary(Eq),
        "not_equal_to" => Functor::Binary(Ne),
        "greater" => Functor::Binary(Gt),
        "less" => Functor::Binary(Lt),
        "greater_equal" => Functor::Binary(Ge),
        "less_equal" => Functor::Binary(Le),
        _ => return None,
    })
}
