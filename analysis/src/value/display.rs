//! A value as CuTe prints it.

use std::fmt;

use super::{Order, Value};

impl fmt::Display for Value {
    /// As CuTe prints it; the alternate form leaves the underscores of static integers out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Int(int) => int.fmt(f),
            Self::Bool(truth) => write!(f, "{}", truth.value),
            Self::Tuple(items) | Self::Pack(items) => {
                f.write_str("(")?;
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        f.write_str(",")?;
                    }
                    item.fmt(f)?;
                }
                f.write_str(")")
            }
            Self::Underscore => f.write_str("_"),
            Self::Delta(delta) => delta.fmt(f),
            Self::Layout(layout) => layout.fmt(f),
            Self::Composed(composed) => composed.fmt(f),
            Self::Swizzle(swizzle) => swizzle.fmt(f),
            Self::ForeignSwizzle(foreign) => foreign.fmt(f),
            Self::Order(Order::Left) => f.write_str("LayoutLeft"),
            Self::Order(Order::Right) => f.write_str("LayoutRight"),
            Self::Tensor(tensor) => tensor.fmt(f),
            Self::Pointer(pointer) => pointer.fmt(f),
            Self::Collective(collective) => collective.fmt(f),
            Self::Shared(shared) => shared.fmt(f),
            Self::Triton(layout) => layout.cute.layout.fmt(f),
            Self::MmaAtom(atom) => f.write_str(&atom.name),
            Self::CopyAtom(atom) => atom.source.fmt(f),
            Self::TiledMma(mma) => mma.thread_layout().fmt(f),
            Self::ThrMma(thread) => thread.mma.thread_layout().fmt(f),
            Self::TiledCopy(copy) => copy.thread_value_layout().fmt(f),
            Self::ThrCopy(thread) => thread.copy.thread_value_layout().fmt(f),
            Self::Number(scalar) => f.write_str(scalar.name),
            Self::Type(ty) | Self::Instance(ty) => ty.fmt(f),
            Self::Object(object) => f.write_str(&object.class.name),
            Self::Callable(_) => f.write_str("function"),
            Self::Function(name) | Self::Module(name) => f.write_str(name),
            Self::Builtin(name) => f.write_str(name),
            Self::Nothing => f.write_str("void"),
            Self::Unknown(_) => f.write_str("?"),
        }
    }
}
