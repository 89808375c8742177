//! Scripts that write sources: what they write is exactly what Python would, or nothing.

use cute_analysis::{Alone, SourceFile, Stop, written_by};
use tree_sitter_cute::tree::Unit;

/// The files that a script writes, each as `path: text`.
fn written(script: &str) -> Vec<String> {
    let file = SourceFile::analysed("/project/generate.py", script, Unit::default());
    let mut steps = 1_000_000;
    let found = written_by(&file, &Alone, &mut steps, &Stop::default());
    let shown = found
        .into_iter()
        .map(|(path, text)| format!("{path}: {text}"));
    shown.collect()
}

/// What a script writes that puts an expression into a file.
fn text_of(expression: &str) -> Vec<String> {
    written(&format!(
        "n, name, flag = 7, 'half', True\nwith open('a.cu', 'w') as f:\n    f.write({expression})\n"
    ))
}

#[test]
fn texts_are_those_of_python() {
    let right = [
        ("f'k<{n}>'", "k<7>"),
        ("f'{n + 1}{name}{flag}'", "8halfTrue"),
        ("f'{{{n}}}'", "{7}"),
        (
            "f'{n:03d}|{n:4}|{name:>6}|{name:<6}|{name!s}'",
            "007|   7|  half|half  |half",
        ),
        (
            "'void {name}() {{ {0} }}'.format(n, name='go')",
            "void go() { 7 }",
        ),
        ("'{}, {}'.format(n, (1, 'a'))", "7, (1, 'a')"),
        ("'{0}{0}'.format('ab')", "abab"),
        ("str(flag).lower()", "true"),
        ("str((1,)) + str(0.5) + str(2.0)", "(1,)0.52.0"),
        ("', '.join([f'_{x}' for x in (1, 2)])", "_1, _2"),
        ("''.join(list('ab') + ['c'])", "abc"),
        ("'a' 'b' \"\\n\"", "ab\n"),
        ("'%d|%03d' % (n, n)", "7|007"),
        ("f'{n:x}|{name!r}|{n=}|{1e30}'", "7|'half'|n=7|1e+30"),
        ("'{:{}}'.format(n, 4)", "   7"),
    ];
    for (expression, text) in right {
        assert_eq!(
            text_of(expression),
            [format!("a.cu: {text}")],
            "{expression}"
        );
    }
}

#[test]
fn what_is_not_modelled_is_not_written() {
    let silent = [
        // Not ours to know.
        "undeclared",
        "f'{undeclared}'",
        "'{0[1]}'.format(n)",
        "'{}'.format()",
        "'}'.format()",
        "str(object())",
    ];
    for expression in silent {
        assert_eq!(text_of(expression), [""; 0], "{expression}");
    }
}

#[test]
fn files_are_begun_and_gone_on_with() {
    let script = "
import os
from pathlib import Path

here = Path(__file__).parent / 'made'
here.mkdir(exist_ok=True)
os.makedirs('made', exist_ok=True)
(here / 'a.cu').write_text('one')
with open(here / 'b.cu', 'w') as f:
    f.writelines(['x', 'y'])
with (here / 'b.cu').open('a') as f:
    f.write('z')
out = open(os.path.join('made', 'c.cu'), 'w')
out.write('first')
out.close()
out = open('made/c.cu', 'w')
print('second', file=out)
(here / 'd').with_suffix('.cuh').write_text(Path('made/c.cu').name + (here / 'a.cu').read_text())
";
    assert_eq!(
        written(script),
        [
            "/project/made/a.cu: one",
            "/project/made/b.cu: xyz",
            "/project/made/d.cuh: c.cuone",
            "made/c.cu: second\n",
        ]
    );
}

#[test]
fn classes_loops_and_options_make_instances() {
    let script = r#"
import argparse
import math
from collections import namedtuple
from enum import Enum

Tile = namedtuple("Tile", ["m", "n"])


class Kind(Enum):
    A = 0
    B = 1


class Instance:
    def __init__(self, tile, kind):
        self.tile, self.kind = tile, kind

    def __str__(self):
        tag = {Kind.A: "Aa", Kind.B: "Bb"}[self.kind]
        return f"template struct K<{self.tile.m}, {math.prod(self.tile)}, {tag}>;"


def main(folder, split):
    body = []
    for tile in [Tile(16, 8), Tile(32, 8)]:
        for kind in Kind:
            body += str(Instance(tile, kind)) + "\n"
    assert len(body) > split
    with open(f"{folder}/all.cu", "w") as f:
        f.write("".join(body))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("-o", "--output-directory", default="csrc")
    parser.add_argument("--num-splits", type=int, default=2)
    args = parser.parse_args()
    main(args.output_directory, args.num_splits)
"#;
    let all = "csrc/all.cu: template struct K<16, 128, Aa>;\ntemplate struct K<16, 128, Bb>;\n\
               template struct K<32, 256, Aa>;\ntemplate struct K<32, 256, Bb>;\n";
    assert_eq!(written(script), [all]);
}

#[test]
fn a_function_without_arguments_is_called_where_nothing_calls_it() {
    let script = "
def gen_module():
    for n in (1, 2):
        with open(f'k{n}.cu', 'w') as f:
            f.write(f'k<{n}>')

def gen_other(dtype):
    with open('other.cu', 'w') as f:
        f.write('never called')
";
    assert_eq!(written(script), ["k1.cu: k<1>", "k2.cu: k<2>"]);
}

#[test]
fn templates_of_jinja_are_rendered() {
    let script = r##"
import jinja2
import os
from pathlib import Path

TEMPLATE = """#include "k.cuh"
{# a comment #}
{%- for tile in [16, 32] %}
template void k<{{ tile }}, {{ dtype }}>();
{%- if swap | lower == "true" %} // {{ tiles|join(', ') }}
{%- endif %}
{%- endfor %}
"""


def gen_module():
    folder = Path(os.getenv("WORKSPACE", Path.home().as_posix())) / "cache"
    template = jinja2.Template(TEMPLATE)
    for dtype in ["half", "float"]:
        path = folder / f"k_{dtype}.cu"
        path.write_text(template.render(dtype=dtype, swap="True", tiles=(1, 2)))
    (folder / "where.cu").write_text(str(folder))
    (folder / "open.cu").write_text(template.render(dtype="half"))
"##;
    let text = |dtype: &str| {
        format!(
            "/<home>/cache/k_{dtype}.cu: #include \"k.cuh\"\n\n\
             template void k<16, {dtype}>(); // 1, 2\n\
             template void k<32, {dtype}>(); // 1, 2"
        )
    };
    assert_eq!(written(script), [text("float"), text("half")]);
}

#[test]
fn what_some_machines_write_is_written_with_the_text_that_they_write() {
    let script = "
import socket
with open('sure.cu', 'w') as f:
    f.write('sure')
if socket.gethostname() == 'a':
    with open('a.cu', 'w') as f:
        f.write('perhaps')
else:
    with open('b.cu', 'w') as f:
        f.write('perhaps')
for name in socket.names():
    with open('c.cu', 'w') as f:
        f.write('perhaps')
    with open('g.cu', 'a') as f:
        f.write('some')
with open('d.cu', 'w') as f:
    if socket.gethostname() == 'a':
        f.write('a part')
for path, text in (('e.cu', 'one'), ('f.cu', 'same')):
    with open(path, 'w') as f:
        f.write(text)
if socket.gethostname() == 'a':
    with open('e.cu', 'w') as f:
        f.write('two')
    with open('f.cu', 'w') as f:
        f.write('same')
";
    let known = [
        "a.cu: perhaps",
        "b.cu: perhaps",
        "c.cu: perhaps",
        "f.cu: same",
        "sure.cu: sure",
    ];
    assert_eq!(written(script), known);
}

#[test]
fn a_dictionary_takes_the_entries_of_another() {
    let script = r#"
first = {"a": 1, "b": 2}
alias = first
first |= {"b": 3}
both = first | {"c": 4}
unknown = {"a": 1}
unknown |= open("nowhere").read()
with open("a.cu", "w") as f:
    f.write(f"{alias['b']} {both['b']} {both['c']} {len(first)}")
with open("b.cu", "w") as f:
    f.write(str(unknown["a"]))
"#;
    assert_eq!(written(script), ["a.cu: 3 3 4 2"]);
}

#[test]
fn a_program_is_run_and_its_other_functions_are_not() {
    let script = "
def make(name):
    with open(name, 'w') as f:
        f.write('made')


def other():
    make('other.cu')


def main():
    make('main.cu')


if __name__ == '__main__':
    main()
";
    assert_eq!(written(script), ["main.cu: made"]);
}

#[test]
fn an_error_leaves_what_was_closed_before_it() {
    let script = "
with open('a.cu', 'w') as f:
    f.write('whole')
with open('b.cu', 'w') as f:
    f.write('a part')
    raise ValueError('no')
";
    assert_eq!(written(script), ["a.cu: whole"]);
}

#[test]
fn what_an_unknown_method_may_have_changed_is_not_written() {
    let script = "
import random
lines = ['b', 'a']
random.shuffle(lines)
lines.surprise()
with open('a.cu', 'w') as f:
    f.write(''.join(lines))
";
    assert_eq!(written(script), [""; 0]);
}

#[test]
fn a_source_with_many_kernels_is_written_whole() {
    let script = "
body = []
for n in range(100):
    body += f'template struct K<{n}>;//' + str((n,) * 400) + '\\n'
with open('all.cu', 'w') as f:
    f.write(''.join(body))
";
    let found = written(script);
    let [all] = found.as_slice() else {
        panic!("{} files", found.len());
    };
    assert!(all.len() > 1 << 17 && all.contains("template struct K<99>;//(99, 99"));
}

#[test]
fn a_script_without_end_ends() {
    let script = "text = 'x'\nwhile True:\n    text = text + text\n";
    assert_eq!(written(script), [""; 0]);
    let script = "while True:\n    with open('a.cu', 'a') as f:\n        f.write('x' * 1000)\n";
    assert_eq!(written(script), [""; 0]);
}

#[test]
fn a_folder_that_depends_on_the_machine_does_not_hide_what_is_put_there() {
    let head = "from pathlib import Path\nimport socket\nplace = Path('gen') / socket.gethostname() / 'kernels'\n";
    let found = written(&format!(
        "{head}for n in (1, 2):\n    with open(place / f'k{{n}}.cu', 'w') as f:\n        f.write(f'k<{{n}}>')\n"
    ));
    let texts: Vec<&str> = found
        .iter()
        .filter_map(|file| file.split_once(".cu: "))
        .map(|(_, text)| text)
        .collect();
    assert_eq!(texts, ["k<1>", "k<2>"]);
    // What says where it is depends on it.
    let silent = [
        "with open('a.cu', 'w') as f:\n    f.write(str(place))\n",
        "with open('a.cu', 'w') as f:\n    f.write(f'#include \"{place}/k.h\"')\n",
        "with open('a.cu', 'w') as f:\n    f.write(socket.gethostname())\n",
    ];
    for text in silent {
        assert_eq!(written(&format!("{head}{text}")), [] as [&str; 0], "{text}");
    }
}

#[test]
fn a_template_says_which_pass_of_a_loop_it_is() {
    let script = r#"
import jinja2


def names(values):
    return [f"_{value}" for value in values]


def text(template, **named):
    template = jinja2.Template(template)
    template.globals.update({"names": names, "lost": None})
    return template.render(**named)


TEMPLATES = [
    "{% for x in l %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}",
    "{% for x in l %}{% for y, z in m %}{{ loop.index }}{% endfor %}{{ loop.index0 }}{{ loop.first }};{% endfor %}",
    "{% if lost is none %}none{% endif %} {{ true }} {{ 'true' }} {{ names(l) | join(', ') }}",
    "{% for x in l %}{{ x }}{% else %}nothing{% endfor %}",
    "{{ loop.index }}",
]
for at, template in enumerate(TEMPLATES):
    with open(f"{at}.cu", "w") as f:
        f.write(text(template, l=[1, 2], m=[(3, 4)]))
"#;
    let known = [
        "0.cu: 1, 2",
        "1.cu: 10True;11False;",
        "2.cu: none True true _1, _2",
    ];
    assert_eq!(written(script), known);
}

#[test]
fn copies_are_those_of_python_and_a_plain_enumeration_is_not_its_numbers() {
    let script = r#"
import enum
import itertools
from copy import copy, deepcopy
from dataclasses import dataclass, fields


class A(enum.Enum):
    one = enum.auto()


class B(enum.Enum):
    one = enum.auto()


class C(enum.IntEnum):
    one = enum.auto()


@dataclass(frozen=True)
class Tile:
    m: int
    kind: A


@dataclass
class Instance:
    tiles: list


shared = [Tile(1, A.one), Tile(2, A.one)]
pairs = list(zip([3, 4], itertools.repeat(shared)))
first = [Instance(shared), Instance(shared)]
both = deepcopy(first)
both[0].tiles.append(Tile(3, A.one))
flat = copy(shared)
flat.append(0)
table = {tile: None for one in [first[0], both[0]] for tile in one.tiles}
names = {A.one: "a", B.one: "b", **{C.one: "c"}}
parts = [
    ",".join([field.name for field in fields(Tile)]),
    f"{len(pairs)}{pairs[1][0]}{pairs[1][1] is shared}",
    f"{len(first[0].tiles)}{len(both[1].tiles)}{len(shared)}{len(flat)}",
    f"{len(table)}{both[0].tiles[0] is shared[0]}{both[0].tiles[0] == shared[0]}{both[0].tiles[0].kind is A.one}",
    f"{names[A.one]}{names[B.one]}{names[1]}{A.one == 1}{A.one == B.one}{C.one == 1}",
    f"{len(list(itertools.repeat(7, 3)))}",
]
with open("a.cu", "w") as f:
    f.write(" ".join(parts))
with open("b.cu", "w") as f:
    for x in itertools.repeat(1):
        f.write("never ends")
"#;
    let known = "a.cu: m,kind 24True 2323 3FalseTrueTrue abcFalseFalseTrue 3";
    assert_eq!(written(script), [known]);
}
