//! Prints the layouts and shapes that are in comments below folders, as lines
//! `path TAB line TAB layout|shape TAB literal`.

use std::path::{Path, PathBuf};

use tree_sitter_cute::{AnnotationKind, Budget, Host, Syntax, annotations};

fn main() -> std::io::Result<()> {
    for folder in std::env::args_os().skip(1) {
        let root = PathBuf::from(folder);
        let mut files = Vec::new();
        collect(&root, &mut files)?;
        files.sort();
        for file in files {
            print(&root, &file);
        }
    }
    Ok(())
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            collect(&entry.path(), files)?;
        } else if Host::of_path(&entry.path()).is_some() {
            files.push(entry.path());
        }
    }
    Ok(())
}

/// The annotations of one file; nothing where it cannot be read.
fn print(root: &Path, file: &Path) {
    let (Some(host), Ok(text)) = (Host::of_path(file), std::fs::read_to_string(file)) else {
        return;
    };
    let Ok(syntax) = Syntax::parse(host, &text, None, Budget::unlimited()) else {
        return;
    };
    let name = file.strip_prefix(root).unwrap_or(file).display();
    for comment in syntax.lower(&text).comments {
        for found in annotations(&text, comment.content) {
            let before = text.get(..found.expr.span.start).unwrap_or_default();
            let line = before.bytes().filter(|byte| *byte == b'\n').count() + 1;
            let kind = match found.kind {
                AnnotationKind::Layout => "layout",
                AnnotationKind::Shape => "shape",
            };
            println!("{name}\t{line}\t{kind}\t{}", found.expr.span.text(&text));
        }
    }
}
