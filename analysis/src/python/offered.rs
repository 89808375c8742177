//! Members of a module of the DSL: its names for completion, and the parameters of its functions.

use tree_sitter_cute::script::{
    Alias, ExprKind, Function, Param, ParamKind, Script, Stmt, StmtKind,
};

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

/// The whole name of the function of the DSL that a path names in a source, `cutlass.cute.make_layout`; nothing where its
/// imports lead elsewhere.
pub fn named(script: &Script, path: &[&str]) -> Option<String> {
    let whole = module_of(script, path)?;
    let (module, name) = whole.rsplit_once('.')?;
    Some(format!("{}.{name}", dsl::canonical(module)))
}

/// The parameters of the function or class of the DSL that a path names in a source: `shape`, `stride=...` where it may
/// be left out. Nothing where its parameters are unknown.
pub fn parameters(script: &Script, path: &[&str]) -> Option<Vec<String>> {
    let whole = module_of(script, path)?;
    let (module, name) = whole.rsplit_once('.')?;
    let module = dsl::canonical(module);
    dsl::parameters(module, name).or_else(|| {
        let script = super::own_texts::script_of(dsl::prelude(module)?);
        let written = script.body.iter().find_map(|stmt| declares(stmt, name));
        written.or_else(|| {
            let from = script.body.iter().find_map(|stmt| taken_from(stmt, name))?;
            let script = super::own_texts::script_of(dsl::prelude(dsl::canonical(&from))?);
            script.body.iter().find_map(|stmt| declares(stmt, name))
        })
    })
}

/// The module of the DSL that a statement imports a name from.
fn taken_from(stmt: &Stmt, name: &str) -> Option<String> {
    let (module, names) = from_dsl(stmt)?;
    names.iter().any(|it| it == name).then_some(module)
}

/// The module of the DSL that a statement imports names from, and the names as it binds them.
fn from_dsl(stmt: &Stmt) -> Option<(String, Vec<String>)> {
    let StmtKind::ImportFrom {
        level: 0,
        module,
        names: Some(names),
    } = &stmt.kind
    else {
        return None;
    };
    let module: Vec<&str> = module.iter().map(|name| &*name.text).collect();
    (module.first() == Some(&"cutlass")).then(|| {
        let bound = names
            .iter()
            .filter_map(|it| it.alias.as_ref().or(it.path.last()))
            .map(|name| name.text.to_string());
        (module.join("."), bound.collect())
    })
}

/// The parameters of a statement that declares a name: a function, or a class.
fn declares(stmt: &Stmt, name: &str) -> Option<Vec<String>> {
    match &stmt.kind {
        StmtKind::Function(function) if &*function.name.text == name => {
            Some(taken(&function.params))
        }
        StmtKind::Class(class) if &*class.name.text == name => {
            let constructor = class.body.iter().find_map(constructor);
            Some(match constructor {
                Some(function) => taken(function.params.get(1..).unwrap_or_default()),
                None => class.body.iter().filter_map(field).collect(),
            })
        }
        _ => None,
    }
}

fn constructor(stmt: &Stmt) -> Option<&Function> {
    match &stmt.kind {
        StmtKind::Function(function) if &*function.name.text == "__init__" => {
            Some(function.as_ref())
        }
        _ => None,
    }
}

/// A field of a dataclass.
fn field(stmt: &Stmt) -> Option<String> {
    let StmtKind::Annotated { target, value, .. } = &stmt.kind else {
        return None;
    };
    let ExprKind::Name(name) = &target.kind else {
        return None;
    };
    Some(written(name, value.is_some()))
}

/// Parameters as they are shown; those that only the DSL's own code gives are left out.
fn taken(params: &[Param]) -> Vec<String> {
    let is_shown = |param: &&Param| {
        let is_plain = matches!(
            param.kind,
            ParamKind::Positional | ParamKind::Plain | ParamKind::Named
        );
        is_plain && !matches!(&*param.name.text, "loc" | "ip")
    };
    params
        .iter()
        .filter(is_shown)
        .map(|param| written(&param.name.text, param.default.is_some()))
        .collect()
}

fn written(name: &str, may_be_left_out: bool) -> String {
    match may_be_left_out {
        true => format!("{name}=..."),
        false => name.to_owned(),
    }
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

/// The whole name of the module or member that an import binds to a name: `import cutlass.cute` binds `cutlass`.
fn imported(alias: &Alias, name: &str, from: &str) -> Option<String> {
    let path: Vec<&str> = alias.path.iter().map(|name| &*name.text).collect();
    match &alias.alias {
        Some(own) => (&*own.text == name).then(|| format!("{from}{}", path.join("."))),
        None => (path.first() == Some(&name)).then(|| format!("{from}{name}")),
    }
}

/// The classes and functions that a text of ours declares, or has from another.
fn declared(text: &str) -> Vec<String> {
    let of = |stmt: &Stmt| match &stmt.kind {
        StmtKind::Function(function) => vec![function.name.text.to_string()],
        StmtKind::Class(class) => vec![class.name.text.to_string()],
        _ => from_dsl(stmt).map(|(_, names)| names).unwrap_or_default(),
    };
    Script::read(text).body.iter().flat_map(of).collect()
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
        // Those of our sources, and those of the device.
        assert!(has(&["cute"], "tuple_cat") && has(&["cute", "arch"], "mbarrier_wait"));
        assert!(has(&["cutlass"], "Float16") && has(&["cutlass", "cute"], "make_layout"));
        assert!(has(&["warp"], "MmaF16BF16Op"));
        assert!(offered(&script, &["np"]).is_empty() && offered(&script, &["other"]).is_empty());
    }

    #[test]
    fn functions_and_classes_of_the_dsl_have_parameters() {
        let script = Script::read(
            "import cutlass.cute as cute\nfrom cutlass.cute import make_layout\nfrom cutlass.cute.nvgpu import warp\nimport numpy as np\n",
        );
        let of = |path: &[&str]| parameters(&script, path).map(|all| all.join(", "));
        let layout = Some("shape, stride".to_owned());
        assert_eq!(of(&["cute", "make_layout"]), layout);
        assert_eq!(of(&["make_layout"]), layout);
        let mma = of(&["warp", "MmaF16BF16Op"]).unwrap_or_default();
        assert!(mma.starts_with("ab_dtype, acc_dtype, shape_mnk"), "{mma}");
        let copy = of(&["cute", "make_copy_atom"]).unwrap_or_default();
        assert!(copy.contains("num_bits_per_copy=..."), "{copy}");
        assert_eq!(of(&["cute", "repeat_like"]).as_deref(), Some("x, target"));
        assert_eq!(
            of(&["cute", "arch", "barrier_arrive"]).as_deref(),
            Some("barrier_id=..., number_of_threads=..., aligned=...")
        );
        assert_eq!(of(&["np", "zeros"]), None);
        assert_eq!(of(&["cute", "no_such"]), None);
        // It takes whatever it is given.
        assert_eq!(of(&["cute", "printf"]), None);
    }
}
