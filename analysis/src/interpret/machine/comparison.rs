//! Comparisons of objects that a class leaves to the compiler: `= default`, and `<` by `<=>`.

use std::cmp::Ordering;

use tree_sitter_cute::tree::BinaryOp;

use super::Runner;
use super::given::Given;
use super::store::{Content, Followed, Number, Stop};

impl<'u> Runner<'_, 'u> {
    /// The truth of a comparison of two objects of one class whose operator is defaulted; nothing where the class
    /// declares another one, or none (C++20 [class.compare]).
    pub(super) fn compared(
        &mut self,
        op: BinaryOp,
        [a, b]: &[Given<'u>; 2],
    ) -> Followed<Option<Content<'u>>> {
        use BinaryOp::{Eq, Ge, Gt, Le, Lt, Ne};
        if !matches!(op, Eq | Ne | Lt | Le | Gt | Ge) {
            return Ok(None);
        }
        let (Content::Object(first, _), Content::Object(second, _)) = (&a.content, &b.content)
        else {
            return Ok(None);
        };
        if first.instance != second.instance {
            return Ok(None);
        }
        let class = first.instance;
        let is_equality = matches!(op, Eq | Ne);
        let mut own = self.comparison(class, &format!("operator{}", op.text()))?;
        if own.is_none() && is_equality {
            own = self.comparison(class, "operator==")?;
        }
        if own.is_none() {
            own = self.comparison(class, "operator<=>")?;
            // A three-way comparison with a body gives an ordering, which is not followed.
            if own == Some(false) && !is_equality {
                return Err(Stop);
            }
        }
        if own != Some(true) {
            return Ok(None);
        }
        let ordering = order(&a.content, &b.content)?;
        let truth = match op {
            Eq => ordering.is_eq(),
            Ne => ordering.is_ne(),
            Lt => ordering.is_lt(),
            Le => ordering.is_le(),
            Gt => ordering.is_gt(),
            _ => ordering.is_ge(),
        };
        Ok(Some(Content::Number(Number::truth(truth)?)))
    }

    /// Whether a class leaves its operator of a name to the compiler; nothing where it declares none.
    fn comparison(&mut self, class: usize, name: &str) -> Followed<Option<bool>> {
        let found = self.method_named(class, name)?;
        Ok(match found {
            Some((owner, methods)) if owner == class => {
                Some(methods.iter().all(|method| method.flags.defaulted))
            }
            // A base compares its own members only.
            Some(_) => return Err(Stop),
            None => None,
        })
    }
}

/// The order of two objects: that of their first members that differ.
fn order(a: &Content<'_>, b: &Content<'_>) -> Followed<Ordering> {
    match (a, b) {
        (Content::Object(first, a), Content::Object(second, b))
            if first.instance == second.instance && a.len() == b.len() =>
        {
            let members = a.iter().zip(b);
            lexicographic(members.map(|((_, a), (_, b))| (a, b)))
        }
        (Content::Array(a), Content::Array(b)) if a.len() == b.len() => {
            lexicographic(a.iter().zip(b))
        }
        (
            Content::Number(a) | Content::Enumerator(a) | Content::Bits(a, _),
            Content::Number(b) | Content::Enumerator(b) | Content::Bits(b, _),
        ) => Ok(a.value.cmp(&b.value)),
        _ => Err(Stop),
    }
}

fn lexicographic<'c, 'u: 'c>(
    pairs: impl Iterator<Item = (&'c Content<'u>, &'c Content<'u>)>,
) -> Followed<Ordering> {
    for (a, b) in pairs {
        let ordering = order(a, b)?;
        if ordering.is_ne() {
            return Ok(ordering);
        }
    }
    Ok(Ordering::Equal)
}
