//! The index of a plain access as a layout of CuTe: `tile[ty * 33 + tx]` is
//! `tile[make_layout(..)(threadIdx.x, threadIdx.y)]`.

use cute_algebra::ComposedLayout;
use cute_algebra::symbol::Expression;
use cute_analysis::{Access, AccessLayout, AccessMap, Analysis, CppForm, Edit, layout_in_cpp};
use tree_sitter_cute::tree::{
    Expr, ItemKind, Path, Span, Unit, UsingKind, Visitor, walk_expr, walk_unit,
};

use super::rewrites::{Kind, Rewrite};

/// The proposal for the access at a byte.
pub fn rewrite(analysis: &Analysis, unit: &Unit, byte: usize) -> Option<Rewrite> {
    let (access, map, index, rank) = subscripted(analysis, unit, byte)?;
    let array = &access.memory;
    let words = Words::of(unit);
    let mut written = words.layout(map)?;
    if let Some(base) = map.base.as_ref().filter(|base| base.as_known() != Some(0)) {
        written = format!("{written} + {}", in_cpp(base)?);
    }
    let edit = if rank == 1 {
        Edit {
            span: index,
            new_text: written,
        }
    } else {
        Edit {
            span: access.span,
            new_text: format!("(&{array}{})[{written}]", "[0]".repeat(rank)),
        }
    };
    Some(Rewrite {
        title: format!(
            "Write the index as a layout of CuTe: {}",
            super::access::layout(map)?
        ),
        kind: Kind::AsCute,
        edit,
        name: access.span,
    })
}

/// Whether the access at a place is, in a new text, the same for all threads and passes.
pub(super) fn is_the_same(rewrite: &Rewrite, before: &Analysis, after: &Analysis) -> bool {
    let span = rewrite.name;
    let by =
        |end: usize| (end + rewrite.edit.new_text.len()).saturating_sub(rewrite.edit.span.len());
    let moved = Span::new(span.start, by(span.end));
    let at = |analysis: &Analysis, span| -> Vec<Access> {
        let all = analysis.accesses.iter();
        all.filter(|access| access.span == span).cloned().collect()
    };
    let (old, new) = (at(before, span), at(after, moved));
    let mut pairs = old.iter().zip(&new);
    !old.is_empty() && old.len() == new.len() && pairs.all(|(old, new)| old.is_as(new))
}

/// The access at a byte that is a subscript of the array itself, with its last index and the number of its indices. None where
/// instances differ.
pub(super) fn subscripted<'a>(
    analysis: &'a Analysis,
    unit: &Unit,
    byte: usize,
) -> Option<(&'a Access, &'a AccessMap, Span, usize)> {
    let same = super::access::at(analysis, byte);
    let access = *same.first()?;
    let map = access.map.as_ref().ok()?;
    let is_one = same.iter().all(|other| other.map == access.map);
    let (array, index, rank) = subscript_at(unit, access.span)?;
    let is_whole = is_one && array == access.memory && access.bytes == access.unit;
    is_whole.then_some((access, map, index, rank))
}

/// The name of the array, the last index and the number of indices of the subscript with a span.
fn subscript_at(unit: &Unit, span: Span) -> Option<(String, Span, usize)> {
    let mut found = Found {
        span,
        subscript: None,
    };
    walk_unit(&mut found, unit);
    found.subscript
}

/// A subscript with a span: the name of its array, its last index, and how many there are.
struct Found {
    span: Span,
    subscript: Option<(String, Span, usize)>,
}

impl Visitor for Found {
    fn expr(&mut self, expr: &Expr) {
        if expr.span == self.span && self.subscript.is_none() {
            self.subscript = expr.as_subscript().and_then(|(array, indices)| {
                let name = array.as_plain_name()?.to_owned();
                Some((name, indices.last()?.span, indices.len()))
            });
        }
        walk_expr(self, expr);
    }
}

/// The words of CuTe as a source may write them.
pub(super) struct Words {
    /// `cute::` where the source does not open the namespace.
    prefix: &'static str,
    form: CppForm,
}

impl Words {
    pub(super) fn of(unit: &Unit) -> Self {
        let opens = unit.items.iter().any(|item| match &item.kind {
            ItemKind::Using(using) if using.kind == UsingKind::Namespace => {
                let last = using.path.as_path().and_then(Path::last);
                last.is_some_and(|last| last.name.name == "cute")
            }
            _ => false,
        });
        if opens {
            Self {
                prefix: "",
                form: CppForm::Call,
            }
        } else {
            Self {
                prefix: "cute::",
                form: CppForm::QualifiedCall,
            }
        }
    }

    /// A word as the source may write it.
    pub(super) fn named(&self, word: &str) -> String {
        format!("{}{word}", self.prefix)
    }

    /// A number as a part of the type.
    pub(super) fn number(&self, number: i64) -> String {
        format!("{}Int<{number}>{{}}", self.prefix)
    }

    /// `make_layout(..)(threadIdx.x, k)`.
    fn layout(&self, map: &AccessMap) -> Option<String> {
        let (block, _) = map.block?;
        match map.layout.as_ref()? {
            AccessLayout::Strided(modes) => self.strided(modes, block, map),
            // One index counts all threads.
            AccessLayout::Plain(layout) if map.loops.is_empty() => {
                let written = layout_in_cpp(layout, self.form)?;
                Some(format!("{written}({})", thread(block)))
            }
            AccessLayout::Swizzled(composed) if map.loops.is_empty() => {
                let written = self.swizzled(composed)?;
                Some(format!("{written}({})", thread(block)))
            }
            AccessLayout::Plain(_) | AccessLayout::Swizzled(_) => None,
        }
    }

    fn strided(
        &self,
        modes: &[Vec<(i64, Expression)>],
        block: [i64; 3],
        map: &AccessMap,
    ) -> Option<String> {
        let (threads, loops) = modes.split_first()?;
        let mut all: Vec<(String, Vec<(i64, Expression)>)> = Vec::new();
        let mut rest: Vec<(i64, Expression)> = threads.iter().rev().cloned().collect();
        for (axis, extent) in ["x", "y", "z"].into_iter().zip(block) {
            all.push((format!("threadIdx.{axis}"), taken(&mut rest, extent)?));
        }
        for (mode, (name, _)) in loops.iter().zip(&map.loops) {
            let is_name = name
                .chars()
                .all(|letter| letter.is_alphanumeric() || letter == '_');
            if !is_name {
                return None;
            }
            all.push((name.clone(), mode.clone()));
        }
        all.retain(|(_, mode)| {
            mode.iter()
                .any(|(extent, stride)| *extent > 1 && stride.as_known() != Some(0))
        });
        if all.is_empty() {
            return None;
        }
        let number = |number: i64| Some(format!("{}Int<{number}>{{}}", self.prefix));
        let shapes = all
            .iter()
            .map(|(_, mode)| self.tuple("make_shape", mode, &|(extent, _)| number(*extent)));
        let strides = all.iter().map(|(_, mode)| {
            self.tuple(
                "make_stride",
                mode,
                &|(_, stride)| match stride.as_known() {
                    Some(known) => number(known),
                    None => in_cpp(stride),
                },
            )
        });
        let shapes = self.joined("make_shape", &shapes.collect::<Option<Vec<_>>>()?);
        let strides = self.joined("make_stride", &strides.collect::<Option<Vec<_>>>()?);
        let coordinates: Vec<&str> = all.iter().map(|(name, _)| name.as_str()).collect();
        Some(format!(
            "{}make_layout({shapes}, {strides})({})",
            self.prefix,
            coordinates.join(", ")
        ))
    }

    fn tuple(
        &self,
        word: &str,
        mode: &[(i64, Expression)],
        part: &dyn Fn(&(i64, Expression)) -> Option<String>,
    ) -> Option<String> {
        let parts = mode.iter().map(part).collect::<Option<Vec<_>>>()?;
        Some(self.joined(word, &parts))
    }

    /// The only part, or all of them in a call.
    fn joined(&self, word: &str, parts: &[String]) -> String {
        match parts {
            [only] => only.clone(),
            parts => format!("{}{word}({})", self.prefix, parts.join(", ")),
        }
    }

    fn swizzled(&self, composed: &ComposedLayout) -> Option<String> {
        let swizzle = composed.swizzle()?;
        let offset = composed.offset.as_leaf()?.value()?;
        let inner = layout_in_cpp(&composed.inner, self.form)?;
        let (bits, base, shift) = (swizzle.bits(), swizzle.base(), swizzle.shift());
        let between = match offset {
            0 => String::new(),
            offset => format!("{}Int<{offset}>{{}}, ", self.prefix),
        };
        let prefix = self.prefix;
        Some(format!(
            "{prefix}composition({prefix}Swizzle<{bits}, {base}, {shift}>{{}}, {between}{inner})"
        ))
    }
}

/// The entries of an extent, off the end of a list.
pub(super) fn taken(
    rest: &mut Vec<(i64, Expression)>,
    extent: i64,
) -> Option<Vec<(i64, Expression)>> {
    let (mut found, mut left) = (Vec::new(), extent);
    while left > 1 {
        let (entry, stride) = rest.pop()?;
        if entry <= left && left % entry == 0 {
            left /= entry;
            found.push((entry, stride));
        } else if entry % left == 0 {
            rest.push((entry / left, stride.scale(left)?));
            found.push((left, stride));
            left = 1;
        } else {
            return None;
        }
    }
    Some(found)
}

/// The thread as one number.
fn thread([x, y, z]: [i64; 3]) -> String {
    let above = [(y, "y", x), (z, "z", x * y)];
    let above = above.into_iter().filter(|(extent, ..)| *extent > 1);
    let above = above.map(|(_, axis, step)| format!(" + {step} * threadIdx.{axis}"));
    format!("threadIdx.x{}", above.collect::<String>())
}

/// An expression in C++; nothing where a part of it has no name there.
pub(super) fn in_cpp(expression: &Expression) -> Option<String> {
    let text = expression.to_string();
    let is_nameless = text.contains(".pass") || text.contains(['\'', '?', '…']);
    (!is_nameless).then_some(text)
}

#[cfg(test)]
pub(super) mod tests {
    use std::sync::Arc;

    use cute_analysis::{Alone, Options, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    pub(in crate::presentation) fn analysed(text: &str) -> (Analysis, Arc<Unit>) {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let unit = Arc::new(syntax.lower(text));
        let file = SourceFile::analysed("tile.cu", text, Unit::clone(&unit));
        (analyse(&file, &Alone, &Options::default()), unit)
    }

    /// The text after the rewrite of the access that begins like this, where it holds.
    fn rewritten(text: &str, written: &str) -> Option<String> {
        let (before, unit) = analysed(text);
        let found = rewrite(&before, &unit, text.find(written).unwrap())?;
        let mut edited = text.to_owned();
        let span = found.edit.span;
        edited.replace_range(span.start..span.end, &found.edit.new_text);
        let after = analysed(&edited).0;
        found.holds(&before, &after).then_some(edited)
    }

    /// A kernel of 32 x 8 threads.
    fn kernel(statement: &str) -> String {
        format!(
            "using namespace cute;\n__global__ void k(float* in, float* out, int n) {{\n  \
             __shared__ float s[64][33];\n  {statement}\n}}\n\
             void run(float* a, float* b) {{ k<<<8, dim3(32, 8)>>>(a, b, 64); }}\n"
        )
    }

    #[test]
    fn an_index_of_threads_is_a_layout_of_them() {
        for (statement, access, index) in [
            (
                "out[threadIdx.y * 33 + threadIdx.x] = 1;",
                "out[",
                "out[make_layout(make_shape(Int<32>{}, Int<8>{}), make_stride(Int<1>{}, Int<33>{}))(threadIdx.x, threadIdx.y)] = 1;",
            ),
            (
                "out[threadIdx.x / 4 * 64 + threadIdx.x % 4] = 1;",
                "out[",
                "out[make_layout(make_shape(Int<4>{}, Int<8>{}), make_stride(Int<1>{}, Int<64>{}))(threadIdx.x)] = 1;",
            ),
            (
                "for (int i = 0; i < 4; ++i) out[(threadIdx.y + 8 * i) * n + threadIdx.x + blockIdx.x * 32] = 1;",
                "out[",
                "out[make_layout(make_shape(Int<32>{}, Int<8>{}, Int<4>{}), make_stride(Int<1>{}, n, 8*n))(threadIdx.x, threadIdx.y, i) + 32*blockIdx.x] = 1;",
            ),
            (
                "s[threadIdx.y * 4][threadIdx.x] = 1;",
                "s[threadIdx",
                "(&s[0][0])[make_layout(make_shape(Int<32>{}, Int<8>{}), make_stride(Int<1>{}, Int<132>{}))(threadIdx.x, threadIdx.y)] = 1;",
            ),
            (
                "out[threadIdx.y * 32 + (threadIdx.x ^ threadIdx.y)] = 1;",
                "out[",
                "out[composition(Swizzle<3, 0, 5>{}, make_layout(Int<256>{}, Int<1>{}))(threadIdx.x + 32 * threadIdx.y)] = 1;",
            ),
        ] {
            let edited = rewritten(&kernel(statement), access);
            let edited = edited.unwrap_or_else(|| panic!("{statement}"));
            assert!(edited.contains(index), "{edited}");
        }
    }

    #[test]
    fn a_source_that_does_not_open_the_namespace_names_it() {
        let text =
            kernel("out[threadIdx.y * 33 + threadIdx.x] = 1;").replace("using namespace cute;", "");
        let edited = rewritten(&text, "out[").unwrap();
        assert!(
            edited.contains("cute::make_layout(cute::make_shape(cute::Int<32>{}"),
            "{edited}"
        );
    }

    #[test]
    fn nothing_is_offered_where_the_index_is_no_layout() {
        for statement in [
            "out[threadIdx.x * threadIdx.x] = 1;",
            "out[int(in[0])] = 1;",
            "out[0] = 1;",
            // The pointer is not where its memory begins.
            "float* p = out + 4; p[threadIdx.x] = 1;",
            // Each thread moves four elements.
            "reinterpret_cast<float4*>(out)[threadIdx.x] = float4{};",
        ] {
            let text = kernel(statement);
            let at = statement.find('[').map_or("", |at| &statement[..=at]);
            let at = at.rsplit([' ', ';']).next().unwrap_or_default();
            assert_eq!(rewritten(&text, at), None, "{statement}");
        }
    }
}
