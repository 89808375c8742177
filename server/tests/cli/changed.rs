//! Commands of the GitHub Action and the pre-commit hook: `check` on changed files.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;

use crate::ask::root;

const WRONG: &str = "#include <cute/tensor.hpp>\nusing namespace cute;\nvoid f() {\n  \
    auto a = make_layout(make_shape(Int<4>{}, Int<3>{}), make_stride(Int<3>{}, Int<1>{}));\n  \
    auto r = composition(a, make_layout(Int<3>{}, Int<6>{}));\n}\n";

/// A program in a folder, with the command on the path.
fn run(folder: &Path, program: &str, arguments: &[&str]) -> Output {
    let binary = Path::new(env!("CARGO_BIN_EXE_cute-analyzer"));
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{path}", binary.parent().unwrap().display());
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env("PATH", path)
        .output()
        .unwrap()
}

fn git(folder: &Path, arguments: &[&str]) {
    let who = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
    let output = run(folder, "git", &[&who[..], arguments].concat());
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

fn commit(folder: &Path) {
    git(folder, &["add", "-A"]);
    git(folder, &["commit", "-q", "-m", "a change"]);
}

#[test]
fn only_sources_that_changed_are_checked() {
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    git(path, &["init", "-q"]);
    fs::write(path.join("old.cu"), WRONG).unwrap();
    commit(path);
    let script = root().join("editors/ci/check-changed.sh");
    let script = script.to_str().unwrap();

    fs::write(path.join("notes.txt"), "no source").unwrap();
    commit(path);
    let none = run(path, script, &["HEAD~1"]);
    assert_eq!(none.status.code(), Some(0), "{none:?}");

    fs::write(path.join("a new one.cu"), WRONG).unwrap();
    commit(path);
    let some = run(path, script, &["HEAD~1", "--format", "github"]);
    assert_eq!(some.status.code(), Some(1), "{some:?}");
    let said = String::from_utf8(some.stdout).unwrap();
    assert!(said.contains("::error file=a new one.cu,line=5"), "{said}");
    assert!(!said.contains("old.cu"), "{said}");
}

/// The last step of the action, as a runner of GitHub starts it.
#[test]
fn the_action_annotates_what_changed() {
    let text = fs::read_to_string(root().join("action.yml")).unwrap();
    let action = &yaml_rust2::YamlLoader::load_from_str(&text).unwrap()[0];
    let steps = action["runs"]["steps"].as_vec().unwrap();
    let commands: Vec<&str> = steps
        .iter()
        .map(|step| step["run"].as_str().unwrap())
        .collect();
    assert_eq!(
        commands[0],
        "cargo install --locked --path \"$ACTION_PATH/server\""
    );
    let folder = TempDir::new().unwrap();
    let path = folder.path();
    git(path, &["init", "-q"]);
    git(path, &["commit", "-q", "--allow-empty", "-m", "nothing"]);
    fs::write(path.join("new.cu"), WRONG).unwrap();
    commit(path);
    let root = root();
    let command = format!(
        "ACTION_PATH='{}' BASE=HEAD~1 OPTIONS='--all --arch sm_90a'; {}",
        root.display(),
        commands[1]
    );
    let checked = run(path, "bash", &["-c", &command]);
    assert_eq!(checked.status.code(), Some(1), "{checked:?}");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains("::error file=new.cu,line=5"), "{said}");
}

#[test]
fn the_recipe_for_lspconfig_starts_where_the_plugin_does() {
    let recipe = fs::read_to_string(root().join("editors/lspconfig/cute_analyzer.lua")).unwrap();
    let plugin = root().join("editors/nvim/lua/cute-analyzer/config.lua");
    let plugin = fs::read_to_string(plugin).unwrap();
    for option in ["filetypes = {", "root_markers = {"] {
        let line = |text: &str| {
            let mut lines = text.lines().map(str::trim);
            lines
                .find(|line| line.starts_with(option))
                .map(str::to_owned)
        };
        assert!(line(&recipe).is_some(), "{option}");
        assert_eq!(line(&recipe), line(&plugin));
    }
}

/// Facts that mason.nvim reads of a package: the wheel that it installs, and the program that it links.
#[test]
fn the_recipe_for_mason_names_the_wheel_and_its_program() {
    let text = fs::read_to_string(root().join("editors/mason/package.yaml")).unwrap();
    let recipe = &yaml_rust2::YamlLoader::load_from_str(&text).unwrap()[0];
    let wheel = fs::read_to_string(root().join("server/pyproject.toml")).unwrap();
    let name = recipe["name"].as_str().unwrap();
    assert!(wheel.contains(&format!("\nname = \"{name}\"\n")));
    // Its page there: twine refuses a wheel without one.
    assert!(wheel.contains("\nreadme = \"README.md\"\n"));
    assert!(root().join("server/README.md").is_file());
    let id = recipe["source"]["id"].as_str().unwrap();
    assert!(id.starts_with(&format!("pkg:pypi/{name}@")), "{id}");
    let program = format!("pypi:{name}");
    assert_eq!(recipe["bin"][name].as_str(), Some(program.as_str()));
    let categories = ["Compiler", "DAP", "Formatter", "LSP", "Linter", "Runtime"];
    for category in recipe["categories"].as_vec().unwrap() {
        assert!(categories.contains(&category.as_str().unwrap()));
    }
    for list in ["licenses", "languages"] {
        assert!(!recipe[list].as_vec().unwrap().is_empty(), "{list}");
    }
}

#[test]
fn the_hook_runs_check_on_the_files_it_is_given() {
    let hooks = fs::read_to_string(root().join(".pre-commit-hooks.yaml")).unwrap();
    let entry = hooks
        .lines()
        .find_map(|line| line.trim().strip_prefix("entry: "));
    let mut words = entry.unwrap().split_whitespace();
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("-new.cu"), WRONG).unwrap();
    let program = words.next().unwrap();
    let arguments: Vec<&str> = words.chain(["-new.cu"]).collect();
    let output = run(folder.path(), program, &arguments);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
}
