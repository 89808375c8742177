//! Instances that are only supposed: the lines of a hover about one, and the edit that requests it.

use cute_analysis::{Analysis, Edit, SUPPOSED};
use tree_sitter_cute::tree::Span;

use super::hover::template_to_instantiate;
use super::instances::OpenTemplate;
use super::rewrites::{Kind, Rewrite};

/// A hover's lines about an instance that no source makes, and about how to make it.
pub(super) fn lines(instance: &str, template: Option<&OpenTemplate>) -> Vec<String> {
    let made = instance.strip_prefix(SUPPOSED).unwrap_or(instance);
    let made = made.trim_start_matches([':', ' ']);
    let mut lines = vec![format!("supposed: no visible source makes {made}")];
    if let Some((instance, true)) = template.map(OpenTemplate::instance) {
        lines.push(format!(
            "add `// cute: instantiate {instance}` above the template"
        ));
    }
    lines
}

/// The edit that asks for the instance which is supposed of the template at a byte, where its parameters keep a layout
/// from being known.
pub fn instantiation(analysis: &Analysis, text: &str, byte: usize) -> Option<Rewrite> {
    let template = template_to_instantiate(analysis, byte)?;
    let (instance, true) = template.instance() else {
        return None;
    };
    let name = analysis.facts_at(byte).first()?.name_span;
    let head = text.get(..template.byte)?.rfind("template")?;
    request(text, head, ("//", &instance), name)
}

/// The edit that adds a comment above a head at the beginning of a line.
fn request(text: &str, head: usize, (mark, instance): (&str, &str), name: Span) -> Option<Rewrite> {
    let line = text.get(..head)?.rfind('\n').map_or(0, |end| end + 1);
    let indent = text.get(line..head)?;
    if !indent.trim().is_empty() {
        return None;
    }
    Some(Rewrite {
        title: format!("Instantiate {instance} with a comment"),
        kind: Kind::Instantiate,
        edit: Edit {
            span: Span::new(line, line),
            new_text: format!("{indent}{mark} cute: instantiate {instance}\n"),
        },
        name,
    })
}

/// The same of Python: the edit that asks for the object which is supposed of the class at a byte.
pub fn object(analysis: &Analysis, text: &str, byte: usize) -> Option<Rewrite> {
    let facts = analysis.facts_at(byte);
    let fact = facts.first().filter(|fact| fact.is_supposed())?;
    let (class, _) = fact.function.as_deref()?.split_once('.')?;
    let arguments = fact.instance.as_deref()?.strip_prefix(SUPPOSED)?;
    let arguments = arguments.trim_start_matches(':').trim();
    let instance = format!("{class}({arguments})");
    // The last class of the name before the place is the one that is around it.
    let before = text.get(..fact.name_span.start)?;
    let heads = before.match_indices("class ").filter(|(at, head)| {
        let name = before.get(at + head.len()..).unwrap_or_default();
        let behind = name.strip_prefix(class);
        behind.is_some_and(|behind| behind.starts_with(['(', ':']))
    });
    let (head, _) = heads.last()?;
    request(text, head, ("#", &instance), fact.name_span)
}

#[cfg(test)]
mod tests {
    use cute_analysis::{Alone, Options, SourceFile, analyse};
    use tree_sitter_cute::{Budget, Host, Syntax};

    use super::*;

    fn analysed(text: &str) -> Analysis {
        let syntax = Syntax::parse(Host::CudaCpp, text, None, Budget::unlimited()).unwrap();
        let file = SourceFile::analysed("test.cu", text, syntax.lower(text));
        analyse(&file, &Alone, &Options::default())
    }

    const SOURCE: &str = "using namespace cute;\n\
        template <class Element, int kBlockM>\n\
        void tile(Element* p) {\n  \
        static_assert(kBlockM % 48 == 0);\n  \
        static_assert(kBlockM == 96 || kBlockM == 192);\n  \
        auto t = make_tensor(p, Layout<Shape<Int<kBlockM>, _8>>{});\n  \
        auto s = recast<uint32_t>(t);\n}\n";

    #[test]
    fn the_edit_asks_for_the_instance_that_is_supposed() {
        let before = analysed(SOURCE);
        let byte = SOURCE.find("s = recast").unwrap();
        let proposed = instantiation(&before, SOURCE, byte).unwrap();
        assert_eq!(
            proposed.title,
            "Instantiate tile<half_t, 192> with a comment"
        );
        let mut edited = SOURCE.to_owned();
        let span = proposed.edit.span;
        edited.replace_range(span.start..span.end, &proposed.edit.new_text);
        assert!(proposed.holds(&before, &analysed(&edited)));
    }

    #[test]
    fn the_edit_asks_for_the_object_that_is_supposed() {
        let source = "import cutlass\nimport cutlass.cute as cute\n\n\n\
            class Kernel:\n    \
            def __init__(self, dtype, head_dim: int):\n        self.head_dim = head_dim\n\n    \
            @cute.jit\n    def __call__(self, mQ: cute.Tensor):\n        \
            rows = cute.make_layout((self.head_dim, 8))\n";
        let analysed = |text: &str| {
            let syntax = Syntax::parse(Host::Python, text, None, Budget::unlimited()).unwrap();
            let file = SourceFile::parsed("kernel.py", text, syntax.into());
            let options = Options {
                host: Host::Python,
                ..Options::default()
            };
            analyse(&file, &Alone, &options)
        };
        let before = analysed(source);
        let byte = source.find("rows = ").unwrap();
        let proposed = object(&before, source, byte).unwrap();
        assert_eq!(
            proposed.title,
            "Instantiate Kernel(dtype=BFloat16, head_dim=128) with a comment"
        );
        let span = proposed.edit.span;
        assert!(
            source
                .get(span.start..)
                .unwrap()
                .starts_with("class Kernel:")
        );
        let mut edited = source.to_owned();
        edited.replace_range(span.start..span.end, &proposed.edit.new_text);
        assert!(proposed.holds(&before, &analysed(&edited)));
        // Nothing is supposed any more.
        let byte = edited.find("rows = ").unwrap();
        assert_eq!(object(&analysed(&edited), &edited, byte), None);
    }

    #[test]
    fn an_instance_that_is_none_is_not_asked_for() {
        let source = SOURCE.replace("kBlockM % 48 == 0", "kBlockM % 7 == 1 && kBlockM > 300");
        let byte = source.find("s = recast").unwrap();
        assert_eq!(instantiation(&analysed(&source), &source, byte), None);
    }
}
