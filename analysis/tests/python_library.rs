//! Plain Python inside of traced functions: generators, context managers, classes of the standard library, texts, and the
//! types of the kernel's numbers.

mod support;

use cute_analysis::Options;
use support::analysed;
use tree_sitter_cute::Host;

/// The value of `r` behind statements of a traced function, without the marks of constants.
fn result(imports: &str, body: &str) -> String {
    let mut text = format!(
        "import cutlass\nimport cutlass.cute as cute\nfrom cutlass import Boolean, Float16, Float32, Int32, Int64, Uint8, Uint32\n{imports}\n\n@cute.jit\ndef traced(n: Int32):\n"
    );
    for line in body.trim_matches('\n').lines() {
        text.push_str("    ");
        text.push_str(line);
        text.push('\n');
    }
    text.push_str("\ncute.compile(traced, Int32(9))\n");
    let options = Options {
        host: Host::Python,
        ..Options::default()
    };
    let found = analysed(&text, &options);
    let mut values = found.facts.iter().filter(|fact| &*fact.name == "r");
    let value = values.next().map(|fact| fact.value.to_string());
    value
        .unwrap_or_else(|| "nothing".to_owned())
        .replace('_', "")
}

/// Fails with all rows whose result is another one.
fn check(imports: &str, rows: &[(&str, &str)]) {
    let wrong: Vec<String> = rows
        .iter()
        .filter_map(|(body, wanted)| {
            let found = result(imports, body);
            (found != *wanted).then(|| format!("{body}\n  is {found}, not {wanted}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn elements_are_made_when_they_are_taken() {
    check(
        "from itertools import count, cycle, islice, takewhile",
        &[
            (
                "c = []\nany(c.append(i) or i for i in (1, 2, 3))\nr = len(c)",
                "1",
            ),
            (
                "c = []\nall(c.append(i) is None and i < 2 for i in (1, 2, 3))\nr = len(c)",
                "2",
            ),
            (
                "c = []\nnext(i for i in (1, 2, 3) if not c.append(i))\nr = len(c)",
                "1",
            ),
            ("c = []\nm = map(c.append, (1, 2))\nr = len(c) + 4", "4"),
            (
                "def g():\n    x = yield 1\n    while x:\n        x = yield x * 10\n    return 99\ni = g()\na = next(i)\nb = i.send(3)\ntry:\n    i.send(0)\nexcept StopIteration as e:\n    r = (a, b, e.value)",
                "(1,30,99)",
            ),
            (
                "def g():\n    try:\n        yield 1\n        yield 2\n    except KeyError:\n        yield 30\ni = g()\nnext(i)\nr = i.throw(KeyError)",
                "30",
            ),
            (
                "def g():\n    k = 0\n    while True:\n        k += 1\n        yield k\nr = tuple(x for x, _ in zip(g(), range(3)))",
                "(1,2,3)",
            ),
            (
                "def g():\n    r = yield from (1, 2)\n    yield 7\nr = tuple(g())",
                "(1,2,7)",
            ),
            (
                "def g():\n    for i in (1, 2, 3):\n        if i == 2:\n            continue\n        yield i\nr = tuple(g())",
                "(1,3)",
            ),
            (
                "i = iter([1, 2, 3, 4])\np = list(zip(i, [1, 2]))\nr = (len(p), next(i))",
                "(2,4)",
            ),
            (
                "i = iter([1, 2, 3, 4])\nfor x in i:\n    if x == 2:\n        break\nr = tuple(i)",
                "(3,4)",
            ),
            (
                "class R:\n    i = 0\n    def __iter__(s): return s\n    def __next__(s):\n        s.i += 1\n        if s.i > 2: raise StopIteration\n        return s.i\nr = tuple(R())",
                "(1,2)",
            ),
            (
                "r = tuple(islice(count(3, 4), 3)) + tuple(islice(cycle((1, 2)), 3))",
                "(3,7,11,1,2,1)",
            ),
            ("r = tuple(takewhile(lambda x: x < 3, count(1)))", "(1,2)"),
            (
                "l = [1, 2, 0, 5]\nr = tuple(iter(lambda: l.pop(0), 0)) + tuple(l)",
                "(1,2,5)",
            ),
        ],
    );
}

#[test]
fn the_body_of_with_runs_between_the_halves_of_its_generator() {
    check(
        "from contextlib import ExitStack, contextmanager, suppress\nclass St:\n    v = 1\n@contextmanager\ndef use(v):\n    old = St.v\n    St.v = v\n    try:\n        yield v + 1\n    finally:\n        St.v = old\n@contextmanager\ndef quiet():\n    try:\n        yield\n    except ValueError:\n        pass",
        &[
            (
                "with use(8) as w:\n    a = (St.v, w)\nr = a + (St.v,)",
                "(8,9,1)",
            ),
            (
                "x = 1\nwith quiet():\n    x = 2\n    raise ValueError\nr = x",
                "2",
            ),
            (
                "r = 1\nwith suppress(KeyError, IndexError):\n    r = [4][5]",
                "1",
            ),
            (
                "o = []\nwith ExitStack() as s:\n    s.callback(o.append, 1)\n    s.callback(o.append, 2)\nr = tuple(o)",
                "(2,1)",
            ),
            (
                "try:\n    with use(4):\n        raise KeyError('x')\nexcept KeyError:\n    r = St.v",
                "1",
            ),
            (
                "class C:\n    def __enter__(s): return 5\n    def __exit__(s, t, v, tb): return t is ZeroDivisionError\nwith C() as c:\n    1 // 0\nr = c",
                "5",
            ),
        ],
    );
}

#[test]
fn classes_of_the_standard_library_are_themselves() {
    check(
        "import dataclasses, functools\nfrom dataclasses import KW_ONLY, dataclass, field\nfrom enum import Enum, Flag, IntEnum, StrEnum, auto\nfrom typing import NamedTuple\nfrom abc import ABC, abstractmethod\nfrom collections import ChainMap, Counter, OrderedDict, defaultdict, deque, namedtuple\nclass SE(str, Enum):\n    ROW = 'row'\nclass C(Enum):\n    R = 1\n    G = 2\n    GREEN = 2\nclass F(Flag):\n    A = auto()\n    B = auto()\nclass P(Enum):\n    E = (5, 6)\n    def __init__(s, m, k): s.m = m; s.k = k\nclass NT(NamedTuple):\n    a: int\n    b: int = 5\n@dataclass(frozen=True, order=True)\nclass Fz:\n    a: int\n    b: int = field(default=2, compare=False)\n@dataclass\nclass Kw:\n    a: int\n    _: KW_ONLY\n    b: int = 5",
        &[
            ("r = 1 if SE.ROW == 'row' else 2", "1"),
            ("r = {'row': 5}.get(SE.ROW, 6)", "5"),
            ("r = 1 if C.R == 1 else 2", "2"),
            (
                "r = (len(C), 1 if C.GREEN is C.G else 2, len(C.__members__))",
                "(2,1,3)",
            ),
            (
                "r = ((F.A | F.B).value, 1 if F.A in (F.A | F.B) else 2, 1 if F.A & F.B else 2)",
                "(3,1,2)",
            ),
            ("r = P.E.m * 10 + P.E.k", "56"),
            (
                "class S(StrEnum):\n    ROW = auto()\nr = len(S.ROW + 'x')",
                "4",
            ),
            ("E = Enum('E', 'A B')\nr = E.B.value", "2"),
            ("r = 1 if NT(1, 2) == (1, 2) else 2", "1"),
            ("r = {(1, 2): 7}.get(NT(1, 2), 3)", "7"),
            ("r = 1 if NT(1, 2) < (1, 3) else 2", "1"),
            (
                "f = Fz(1)\ntry:\n    f.a = 4\n    r = 1\nexcept dataclasses.FrozenInstanceError:\n    r = 2",
                "2",
            ),
            (
                "r = (1 if Fz(1, 2) == Fz(1, 3) else 2, 1 if Fz(1) < Fz(2) else 2)",
                "(1,1)",
            ),
            ("r = Kw(1, b=3).b * 10 + Kw(1).a", "31"),
            (
                "try:\n    Kw(1, 2)\n    r = 1\nexcept TypeError:\n    r = 2",
                "2",
            ),
            (
                "class A(ABC):\n    @abstractmethod\n    def f(s): ...\ntry:\n    A()\n    r = 1\nexcept TypeError:\n    r = 2",
                "2",
            ),
            (
                "class D(dict):\n    def __missing__(s, k): return len(k)\nr = (D(a=3)['bcd'], D(a=3)['a'])",
                "(3,3)",
            ),
            (
                "class L(list):\n    def append(s, x): super().append(x * 2)\nl = L()\nl.append(3)\nr = (l[0], len(l))",
                "(6,1)",
            ),
            (
                "class K:\n    def __init__(s, v): s.v = v\n    def __eq__(s, o): return s.v == o.v\n    def __hash__(s): return hash(s.v)\nd = {K(1): 5}\nd[K(1)] = 6\nr = (len(d), len({1, 1.0, True}))",
                "(1,1)",
            ),
            (
                "class Q:\n    pass\nq = Q()\nq.x = 1\nvars(q)['x'] = 7\nq.__dict__.update(y=8)\nr = (q.x, q.y)",
                "(7,8)",
            ),
            (
                "@functools.lru_cache(None)\ndef f(x): return [x]\nf(1).append(5)\nr = (len(f(1)), f.cache_info().hits)",
                "(2,1)",
            ),
            (
                "d = defaultdict(list)\nd['a'].append(1)\nc = Counter('aab')\nq = deque([1, 2, 3], maxlen=3)\nq.append(7)\nr = (len(d['a']), c['a'], c['z'], q[0], q[-1])",
                "(1,2,0,2,7)",
            ),
            (
                "t = namedtuple('t', 'x y', defaults=(8,))(1)\no = OrderedDict(a=1, b=2)\no.move_to_end('a')\nm = ChainMap({'a': 1}, {'b': 3})\nr = (t.x, t.y, *o.values(), m['b'])",
                "(1,8,2,1,3)",
            ),
        ],
    );
}

#[test]
fn functions_of_the_standard_library_have_results() {
    check(
        "import bisect, contextvars, functools, heapq, inspect, itertools, math, operator, sys\nV = contextvars.ContextVar('V', default=3)",
        &[
            (
                "r = tuple(itertools.accumulate((1, 2, 3))) + tuple(itertools.chain.from_iterable([[4], (5,)]))",
                "(1,3,6,4,5)",
            ),
            (
                "r = tuple(p[0] * 10 + p[1] for p in itertools.permutations((1, 2, 3), 2))",
                "(12,13,21,23,31,32)",
            ),
            (
                "r = tuple((k + 1, len(list(g))) for k, g in itertools.groupby([0, 0, 1]))",
                "((1,2),(2,1))",
            ),
            (
                "r = tuple(a * b for a, b in itertools.product((1, 2), repeat=2))",
                "(1,2,2,4)",
            ),
            (
                "r = operator.itemgetter(1, 0)((7, 8)) + (operator.methodcaller('bit_length')(9),)",
                "(8,7,4)",
            ),
            (
                "r = tuple(sorted((3, 1, 2), key=functools.cmp_to_key(lambda a, b: b - a)))",
                "(3,2,1)",
            ),
            (
                "def d(f):\n    @functools.wraps(f)\n    def inner(*a): return f(*a) + 1\n    return inner\n@d\ndef abcd(x): return x\nr = (len(abcd.__name__), abcd.__wrapped__(4), abcd(4))",
                "(4,4,5)",
            ),
            (
                "def fa(a, b, *c, d=4): pass\np = inspect.signature(fa).parameters\nr = (len(p), p['d'].default)",
                "(4,4)",
            ),
            (
                "a = V.get()\nt = V.set(8)\nb = V.get()\nV.reset(t)\nr = (a, b, V.get(5))",
                "(3,8,5)",
            ),
            ("r = 1 if sys.version_info >= (3, 8) else 2", "1"),
            ("r = 1 if sys.version_info >= (3, 12) else 2", "?"),
            (
                "r = (math.comb(5, 2), math.isqrt(50), math.prod((2, 3), start=4), pow(3, -1, 7), pow(3, 20, 7))",
                "(10,7,24,5,2)",
            ),
            (
                "r = (round(1234, -2), round(15, -1), round(25, -1))",
                "(1200,20,20)",
            ),
            (
                "r = (max([], default=3), max([(1, 5), (2, 3)], key=lambda t: t[1])[0])",
                "(3,1)",
            ),
            ("h = [5, 2]\nheapq.heapify(h)\nr = (7, *h)", "(7,2,5)"),
            (
                "l = [1, 2, 3, 4]\nl[1:3] = [9]\nl[:0] = [7]\ndel l[-1]\nr = tuple(l)",
                "(7,1,9)",
            ),
            (
                "r = (len({1, 2} & {2, 3}), len({1, 2} ^ {2, 3}), 1 if {2} <= {2, 3} else 2, len({'a': 1}.keys() - {'b'}))",
                "(1,2,1,1)",
            ),
            (
                "try:\n    list(zip([1], [1, 2], strict=True))\n    r = 1\nexcept ValueError:\n    r = 2",
                "2",
            ),
            (
                "c = []\ndef f(x):\n    c.append(x)\n    return x\nf(5) < f(3) < f(9)\nd = {f(1): f(2)}\nr = tuple(c)",
                "(5,3,1,2)",
            ),
            ("r = 2 ** 100 % 7", "?"),
            ("r = 0xFFFFFFFFFFFFFFFF & 0xFF", "?"),
        ],
    );
}

#[test]
fn texts_are_written_and_taken_apart() {
    check(
        "",
        &[
            (
                "r = (len('%03d' % 7), len('%d-%s' % (3, 'x')), len('%5.2f' % 2.5))",
                "(3,3,5)",
            ),
            (
                "r = (len(f'{255:#x}'), len(f'{1234567:,}'), len(f'{3.14159:.2f}'), len(f'{7:>{5}}'), len(f'{7=}'))",
                "(4,9,4,5,3)",
            ),
            (
                "r = (len(repr('ab')), len(f'{[1, \"a\"]}'), len(str(1e16)), len('{x:>{w}}'.format(x=1, w=5)))",
                "(4,8,5,5)",
            ),
            (
                "r = ('hello'.find('l'), 'hello'.rfind('l'), len('k=v=w'.partition('=')[2]), len('a,b,c'.rsplit(',', 1)[0]))",
                "(2,3,3,3)",
            ),
            (
                "r = (int('0x1f', 16), int('1_000'), int('0b11', 0), len('7'.zfill(3)), len('a.py'.removesuffix('.py')))",
                "(31,1000,3,3,1)",
            ),
            (
                "try:\n    assert False, 'no'\nexcept AssertionError as e:\n    r = len(str(e))",
                "2",
            ),
            (
                "try:\n    try:\n        raise KeyError(3)\n    except (ValueError, LookupError) as e:\n        raise RuntimeError('q') from e\nexcept RuntimeError as e:\n    r = (e.__cause__.args[0], len(e.args))",
                "(3,1)",
            ),
        ],
    );
}

#[test]
fn patterns_of_every_kind_are_decided() {
    let kinds = "
class Pc:
    __match_args__ = ('a', 'b')
    def __init__(s, a, b): s.a = a; s.b = b
def mt(v):
    match v:
        case -1 | 0: return 1
        case int(n) if n > 10: return n
        case int() | float(): return 2
        case 'abc': return 4
        case [x]: return 5 + x
        case [x, *rest, y] if x == y: return 100 + len(rest)
        case (1, (2, z)): return 200 + z
        case {'k': k, **q}: return 300 + k + len(q)
        case Pc(a, b=3): return 600 + a
        case None: return 8
        case _: return 9
";
    check(
        kinds,
        &[(
            "r = tuple(mt(v) for v in (-1, 12, 5, 'abc', [4], [1, 2, 3, 1], (1, (2, 7)), {'k': 2, 'z': 0}, Pc(4, 3), None, Pc(1, 1)))",
            "(1,12,2,4,9,102,207,303,604,8,9)",
        )],
    );
}

#[test]
fn numbers_of_the_kernel_keep_their_types() {
    check(
        "",
        &[
            ("r = 1 if isinstance(Uint32(n) >> 3, Uint32) else 2", "1"),
            ("r = 1 if isinstance(Uint32(n) >> 3, Int32) else 2", "2"),
            ("r = 1 if isinstance(Int64(n) * n, Int64) else 2", "1"),
            ("r = 1 if isinstance(n.to(Int64), Int64) else 2", "1"),
            ("r = 1 if isinstance(n / 2, Float32) else 2", "1"),
            ("r = 1 if isinstance(n > 3, Boolean) else 2", "1"),
            (
                "r = 1 if isinstance(cute.make_rmem_tensor(4, Uint8)[0], Uint8) else 2",
                "1",
            ),
            (
                "r = 1 if type(cute.make_rmem_tensor(4, Uint8)[0]) is Uint8 else 2",
                "1",
            ),
            (
                "r = ((Int64(n) * n).width, cute.make_rmem_tensor(4, Uint8)[0].width)",
                "(64,8)",
            ),
            (
                "r = 1 if Float16(n) + 1 is None else (Float16(n) + 1).width",
                "32",
            ),
            ("r = Float32(1.0) == Float32(2.0)", "bool"),
            ("r = Float32(n) != Float32(1.0)", "bool"),
        ],
    );
}
