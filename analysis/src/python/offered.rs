//! The names that a module of the DSL has, for completion.

use tree_sitter_cute::script::{Alias, Script, StmtKind};

use super::dsl;

/// The names behind `path.` in a source, where its imports say that it is a module of the DSL: `cute.`,
/// `cutlass.utils.`. Names of the DSL's own affair, with an underscore in front, are left out.
pub fn offered(script: &Script, path: &[&str]) -> Vec<String> {
    let Some(module) = module_of(script, path) else {
        return Vec::new();
    };
    if !dsl::is_native_module(&module) {
        return Vec::new();
    }
    let mut names: Vec<String> = dsl::members(&module)
        .into_iter()
        .map(|(name, _)| name.to_string())
        .collect();
    names.extend(
        dsl::prelude(dsl::canonical(&module))
            .into_iter()
            .flat_map(declared),
    );
    names.retain(|name| !name.starts_with('_'));
    names.sort_unstable();
    names.dedup();
    names
}

/// The whole name of the module that a path names in a source.
fn module_of(script: &Script, path: &[&str]) -> Option<String> {
    let (first, rest) = path.split_first()?;
    let begins = script.body.iter().find_map(|stmt| match &stmt.kind {
        StmtKind::Import(aliases) => aliases.iter().find_map(|it| imported(it, first, "")),
        StmtKind::ImportFrom {
            level: 0,
            module,
            names: Some(names),
        } => {
            let from: Vec<&str> = module.iter().map(|name| &*name.text).collect();
            let from = from.join(".") + ".";
            names.iter().find_map(|it| imported(it, first, &from))
        }
        _ => None,
    })?;
    let whole: Vec<&str> = std::iter::once(begins.as_str())
        .chain(rest.iter().copied())
        .collect();
    let whole = whole.join(".");
    (whole == "cutlass" || whole.starts_with("cutlass.")).then_some(whole)
}

/// The whole name of what an import binds to a name: `import cutlass.cute` binds `cutlass`.
fn imported(alias: &Alias, name: &str, from: &str) -> Option<String> {
    let path: Vec<&str> = alias.path.iter().map(|name| &*name.text).collect();
    match &alias.alias {
        Some(own) => (&*own.text == name).then(|| format!("{from}{}", path.join("."))),
        None => (path.first() == Some(&name)).then(|| format!("{from}{name}")),
    }
}

/// The classes and functions that a text of ours declares.
fn declared(text: &str) -> Vec<String> {
    let of = |stmt: &tree_sitter_cute::script::Stmt| match &stmt.kind {
        StmtKind::Function(function) => Some(function.name.text.to_string()),
        StmtKind::Class(class) => Some(class.name.text.to_string()),
        _ => None,
    };
    Script::read(text).body.iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_the_dsl_are_known_under_the_names_that_imports_give_them() {
        let script = Script::read(
            "import cutlass\nimport cutlass.cute as cute\nfrom cutlass.cute.nvgpu import warp\nimport numpy as np\n",
        );
        let has = |path: &[&str], name: &str| offered(&script, path).iter().any(|it| it == name);
        assert!(has(&["cute"], "make_layout") && has(&["cute"], "zipped_divide"));
        assert!(has(&["cute"], "make_tiled_copy_tv") && !has(&["cute"], "_algebra"));
        assert!(has(&["cutlass"], "Float16") && has(&["cutlass", "cute"], "make_layout"));
        assert!(has(&["warp"], "MmaF16BF16Op"));
        assert!(offered(&script, &["np"]).is_empty() && offered(&script, &["other"]).is_empty());
    }
}
