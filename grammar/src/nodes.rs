//! Children of a node of a tree-sitter tree.

use tree_sitter::{Node, Tree};

use crate::tree::Span;

/// All children, in time linear in their number (`Node::child` alone takes linear time each).
pub(crate) fn children(node: Node<'_>) -> Vec<Node<'_>> {
    node.children(&mut node.walk()).collect()
}

/// The children that are not keywords or punctuation; comments are among them.
pub(crate) fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    node.named_children(&mut node.walk()).collect()
}

/// Whether a keyword or punctuation is directly in `node`.
pub(crate) fn has_token(node: Node<'_>, token: &str) -> bool {
    node.children(&mut node.walk())
        .any(|child| !child.is_named() && child.kind() == token)
}

/// The first child of a kind.
pub(crate) fn child_of_kind<'n>(node: Node<'n>, kind: &str) -> Option<Node<'n>> {
    node.named_children(&mut node.walk())
        .find(|child| child.kind() == kind)
}

/// Spans of all nodes that the parser invented or could not place, in source order. `misses` says of
/// a node that something is always missing directly in it.
pub(crate) fn error_spans(tree: &Tree, misses: impl Fn(Node<'_>) -> bool) -> Vec<Span> {
    let mut spans = Vec::new();
    let mut cursor = tree.walk();
    // Whether each open node is one in which something is always missing.
    let mut parents = vec![false];
    loop {
        let node = cursor.node();
        let expected = node.is_missing() && parents.last() == Some(&true);
        if (node.is_error() || node.is_missing()) && !expected {
            spans.push(Span::new(node.start_byte(), node.end_byte()));
        }
        if node.has_error() && cursor.goto_first_child() {
            parents.push(misses(node));
            continue;
        }
        while !cursor.goto_next_sibling() {
            parents.pop();
            if !cursor.goto_parent() {
                return spans;
            }
        }
    }
}
