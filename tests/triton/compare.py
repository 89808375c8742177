"""Layouts of Triton's wheel beside those of the program: `compare.py PROGRAM COUNT SEED [KIND ...]`.

`compare.py table COUNT SEED` prints Triton's answers alone, a JSON object a line: `tests/golden/triton.jsonl`.

Random encodings are printed by Triton and read by the program. Its bases have to be those of Gluon's
`to_linear_layout`, and its layout of CuTe has to give the coordinates of `linear_layout.apply` at every place (at
256 random ones of a large tensor). Random layouts of CuTe go the other way. What Triton refuses, or ends the
process with, the program may refuse. Triton runs in children, because it aborts on what it does not take.
"""

import itertools
import json
import os
import random
import re
import subprocess
import sys

from triton._C.libtriton import gluon_ir, ir
from triton._C.libtriton.linear_layout import LinearLayout
from triton.experimental.gluon.language import _layouts as gluon
from triton.experimental.gluon.language.nvidia.blackwell import (
    TensorMemoryLayout,
    TensorMemoryScalesLayout,
)

# Places at which two functions are compared; below it all are.
PLACES = 256
# Cases of one child: an abort costs the start of another.
BATCH = 200


def power(low, high):
    return 1 << random.randint(low, high)


def split(bits, rank):
    """Extents whose product has so many bits."""
    cuts = [0] * rank
    for _ in range(bits):
        cuts[random.randrange(rank)] += 1
    return [1 << cut for cut in cuts]


def order(rank):
    return random.sample(range(rank), rank)


def blocks(rank):
    """Bases of blocks: mostly none, else distinct parts or none at all of one dimension."""
    if random.random() < 0.75:
        return []
    sizes = split(random.randint(1, 2), rank)
    bases = []
    for dim in order(rank):
        for bit in range(sizes[dim].bit_length() - 1):
            bases.append([1 << bit if at == dim else 0 for at in range(rank)])
    if random.random() < 0.2:
        bases.append([0] * rank)
    return bases


def shape(rank, most=9):
    return [power(0, most if rank == 1 else most - 2 * rank + 3) for _ in range(rank)]


def blocked(rank=None):
    rank = rank or random.randint(1, 3)
    return gluon.BlockedLayout(
        split(random.randint(0, 4), rank),
        split(5, rank),
        split(random.randint(0, 3), rank),
        order(rank),
        blocks(rank),
    ), shape(rank)


def mma(version=None):
    version = version or random.choice([2, 2, 3])
    if version == 3:
        warps = [4 * power(0, 1), power(0, 1)]
        instruction = [16, random.choice([8, 16, 32, 64, 128, 256]), 16]
        rank = 2
    else:
        rank = random.choice([2, 2, 3])
        warps = split(random.randint(0, 3), rank)
        instruction = [1] * (rank - 2) + [16, 8]
    return gluon.NVMMADistributedLayout(
        [version, 0], warps, instruction, blocks(rank)
    ), shape(rank)


def dot():
    operand = random.randint(0, 1)
    if random.random() < 0.3:
        parent, extents = blocked(random.randint(2, 3))
        return gluon.DotOperandLayout(operand, parent, 0), extents
    version = 3 if operand == 0 and random.random() < 0.4 else 2
    parent, extents = mma(version)
    return gluon.DotOperandLayout(operand, parent, power(0, 3)), extents


def sliced():
    make = random.choice([lambda: blocked(random.randint(2, 3)), mma, dot, linear])
    parent, extents = make()
    while len(extents) < 2:
        parent, extents = make()
    dim = random.randrange(len(extents))
    layout = gluon.SliceLayout(dim, parent)
    extents = extents[:dim] + extents[dim + 1 :]
    if len(extents) == 2 and random.random() < 0.3:
        layout, extents = gluon.SliceLayout(0, layout), extents[1:]
    return layout, extents


def bases(bits, rank, extents, broadcast):
    """A random change of basis of all coordinates, cut up; some bits broadcast."""
    units = [
        [1 << bit if at == dim else 0 for at in range(rank)]
        for dim in range(rank)
        for bit in range(extents[dim].bit_length() - 1)
    ]
    random.shuffle(units)
    if random.random() < 0.5:
        for _ in range(len(units)):
            first, second = random.randrange(len(units)), random.randrange(len(units))
            if first != second:
                units[first] = [a ^ b for a, b in zip(units[first], units[second])]
    for _ in range(broadcast):
        units.insert(random.randint(0, len(units)), [0] * rank)
    return units


def linear():
    rank = random.randint(1, 3)
    extents = split(random.randint(5, 12), rank)
    units = bases(0, rank, extents, random.randint(0, 3))
    warps = random.randint(0, min(3, len(units) - 5))
    lane, warp, rest = units[:5], units[5 : 5 + warps], units[5 + warps :]
    block = [rest.pop()] if rest and random.random() < 0.1 else []
    layout = gluon.DistributedLinearLayout(rest, lane, warp, block, extents)
    if random.random() < 0.3 and not block:
        return layout, [max(1, e * random.choice([1, 1, 2, 4])) for e in extents]
    return layout, extents


class Bases:
    """A linear layout that is no encoding: bases that step along several dimensions at once."""

    def __init__(self, layout):
        self.layout = layout


def linear_layout():
    layout, extents = linear()
    return Bases(layout), list(layout.shape)


def shared_linear():
    rank = random.randint(1, 3)
    extents = split(random.randint(2, 13), rank)
    units = bases(0, rank, extents, 0)
    block = [units.pop()] if len(units) > 1 and random.random() < 0.1 else []
    return gluon.SharedLinearLayout(units, block, power(0, 10)), extents


def swizzled():
    rank = random.randint(1, 4)
    return gluon.SwizzledSharedLayout(
        power(0, 4), power(0, 3), power(0, 3), order(rank), blocks(rank)
    ), shape(rank)


def nvmma():
    rank = random.choice([1, 2, 2, 2, 3, 3, 4])
    bits = random.choice([8, 16, 32, 64])
    swizzle = random.choice([0, 32, 64, 128]) if rank > 1 else 0
    fp4 = (swizzle, bits) == (128, 8) and random.random() < 0.5
    # Of transposed tensors with more dimensions Triton turns rows in orders that the program refuses.
    transposed = random.random() < 0.4 and (rank == 2 or (rank == 3 and swizzle > 0))
    extents = shape(rank, 11 if rank > 1 else 9)
    contiguous = 0 if transposed else rank - 1
    if swizzle and random.random() < 0.8:
        extents[contiguous] = max(extents[contiguous], swizzle * 8 // bits)
    return gluon.NVMMASharedLayout(
        swizzle, bits, rank, transposed, fp4, blocks(rank)
    ), extents


def padded():
    rank = random.randint(1, 3)
    pairs = [[1 << at, power(0, 4)] for at in random.sample(range(1, 9), random.randint(1, 2))]
    if random.random() < 0.5:
        extents = shape(rank)
        return gluon.PaddedSharedLayout.with_identity_for(pairs, extents, order(rank)), extents
    extents = split(random.randint(2, 12), rank)
    return gluon.PaddedSharedLayout(pairs, bases(0, rank, extents, 0), [], extents), extents


def tensor_memory():
    rows, columns = random.choice([64, 128]), power(3, 8)
    two = random.random() < 0.2
    cga = [[1, 0]] if two else []
    if not two and random.random() < 0.15:
        cga = [random.choice([[1, 0], [0, 1]])]
    extents = [rows * power(0, 2), columns * power(0, 2)]
    for basis in cga:
        extents = [extent << step for extent, step in zip(extents, basis)]
    return TensorMemoryLayout((rows, columns), power(0, 2), cga, two), extents


def scales():
    cga = random.choice([[], [], [], [[1, 0]], [[0, 1]]])
    return TensorMemoryScalesLayout(cga), [32 * power(0, 4), power(0, 6)]


KINDS = {
    "linear": linear,
    "linear_layout": linear_layout,
    "blocked": blocked,
    "slice": sliced,
    "dot_op": dot,
    "nvidia_mma": mma,
    "shared_linear": shared_linear,
    "swizzled_shared": swizzled,
    "padded_shared": padded,
    "nvmma_shared": nvmma,
    "tensor_memory_encoding": tensor_memory,
    "tensor_memory_scales_encoding": scales,
}


# ---- Triton's answers ----


def answer(builder, layout, extents):
    """The attribute and the bases, as Triton has them."""
    if isinstance(layout, Bases):
        found = layout.layout
        names = dict(
            register=found.reg_bases,
            lane=found.lane_bases,
            warp=found.warp_bases,
            block=found.block_bases,
        )
        fields = ", ".join(f"{name} = {json.dumps(value)}" for name, value in names.items())
        return f"#ttg.linear<{{{fields}}}>", names
    attribute = layout._to_ir(builder)
    printed = str(builder.get_distributed_ty(builder.get_float_ty(), extents, attribute))
    text = printed[printed.index("#") : -1]
    if isinstance(layout, gluon.PaddedSharedLayout):
        # Triton has no linear layout of it: the one before the padding is what it was made of.
        return text, {"offset": layout.offset_bases, "block": layout.cga_layout}
    found = builder.to_linear_layout(attribute, extents)
    if isinstance(found, gluon.DistributedLinearLayout):
        return text, {
            "register": found.reg_bases,
            "lane": found.lane_bases,
            "warp": found.warp_bases,
            "block": found.block_bases,
        }
    if isinstance(found, gluon.SharedLinearLayout):
        names = {"offset": found.offset_bases, "block": found.block_bases}
        return text, {**names, "alignment": found.alignment}
    return text, {"row": found.rows, "col": found.cols}


def in_child(cases, first, write):
    """Answers cases from `first` on, a line each, until Triton ends the process."""
    context = ir.context()
    ir.load_dialects(context)
    builder = gluon_ir.GluonOpBuilder(context)
    for layout, extents in cases[first:]:
        try:
            line = json.dumps(answer(builder, layout, extents))
        except Exception as error:  # noqa: BLE001 what Triton refuses is no case
            line = json.dumps(["", str(error)])
        write.write(line + "\n")
        write.flush()


def answers(cases):
    """What Triton says of each case; `None` where it refuses or ends the process."""
    found = []
    while len(found) < len(cases):
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)
            with os.fdopen(write, "w") as out:
                in_child(cases, len(found), out)
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as lines:
            for line in lines:
                text, bases = json.loads(line)
                found.append((text, bases) if text else None)
        os.waitpid(child, 0)
        if len(found) < len(cases):
            found.append(None)
    return found


# ---- CuTe's layouts ----


def parsed(text):
    """`Sw<3,3,3> o 0 o (8,8):(8,1)` as swizzle and modes; strides with `f` add by xor."""
    swizzle, xor = None, False
    parts = text.replace("_", "").split(" o ")
    if len(parts) == 3:
        swizzle = [int(number) for number in re.findall(r"-?\d+", parts[0])]
    layout = parts[-1]
    if "f" in layout:
        xor, layout = True, layout.replace("f", "")
    extents, strides = (eval(side) for side in layout.split(":"))  # noqa: S307 numbers and parentheses
    return swizzle, xor, extents, strides


def leaves(tree):
    if isinstance(tree, int):
        return [tree]
    return [leaf for part in tree for leaf in leaves(part)]


def size(tree):
    result = 1
    for leaf in leaves(tree):
        result *= leaf
    return result


def offset(layout, index):
    """The offset of a colexicographic index."""
    swizzle, xor, extents, strides = layout
    total = 0
    for extent, stride in zip(leaves(extents), leaves(strides)):
        step = (index % extent) * stride
        if xor:
            step = 0
            for bit in range(extent.bit_length()):
                if (index % extent) >> bit & 1:
                    step ^= stride << bit
        total = total ^ step if xor else total + step
        index //= extent
    if swizzle:
        bits, base, shift = swizzle
        mask = ((1 << bits) - 1) << (base + max(shift, 0))
        moved = total & mask
        total ^= moved >> shift if shift >= 0 else moved << -shift
    return total


def places(count):
    if count <= PLACES:
        return range(count)
    return [random.randrange(count) for _ in range(PLACES)]


def column_major(coordinate, extents):
    index, step = 0, 1
    for at, extent in zip(coordinate, extents):
        index, step = index + at * step, step * extent
    return index


def unpacked(index, extents):
    coordinate = []
    for extent in extents:
        coordinate.append(index % extent)
        index //= extent
    return coordinate


# ---- judging ----


def difference(layout, extents, bases, text):
    """Where the layout of CuTe is another function than Triton's bases."""
    bases = {name: value for name, value in bases.items() if name != "alignment"}
    dims = {f"dim{at}": extent for at, extent in enumerate(extents)}
    function = LinearLayout.from_bases(
        [(name, [list(b) for b in value]) for name, value in bases.items()],
        list(dims),
        list(extents),
        False,
    )

    def triton(**place):
        found = function.apply({name: place.get(name, 0) for name in bases})
        return [found[dim] for dim in dims]

    ours = parsed(text)
    if "register" in bases:
        lanes = 1 << len(bases["lane"])
        threads = lanes << len(bases["warp"])
        values = 1 << len(bases["register"])
        for index in places(threads * values << len(bases["block"])):
            thread, rest = index % threads, index // threads
            value, block = rest % values, rest // values
            here = triton(
                register=value, lane=thread % lanes, warp=thread // lanes, block=block
            )
            if column_major(here, extents) != offset(ours, index):
                return f"(thread {thread}, value {value}, block {block}) -> {here}, not {offset(ours, index)}"
        return None
    if size(ours[2]) != size(tuple(extents)):
        return f"size {size(ours[2])}, not {size(tuple(extents))}"
    for index in places(size(tuple(extents))):
        coordinate, there = unpacked(index, extents), offset(ours, index)
        if "row" in bases:
            row, column = there >> 16 & 0x7F, there & 0xFFFF
            # Gluon does not tell the bases of blocks: only block 0 is compared.
            if there >> 23:
                continue
            here = triton(row=row, col=column)
        else:
            bits = len(bases["offset"])
            if isinstance(layout, gluon.PaddedSharedLayout):
                there = unpadded(layout, there, 1 << bits)
            here = triton(offset=there & ((1 << bits) - 1), block=there >> bits)
        if here != coordinate:
            return f"{coordinate} -> {there}, where Triton has {here}"
    return None


def unpadded(layout, address, size):
    """The offset before the padding: found, for the padded one grows with it."""
    def lies(at):
        return at + sum(at // interval * padding for interval, padding in layout.interval_padding_pairs)

    low, high = 0, size
    while low < high:
        middle = (low + high) // 2
        if lies(middle) < address:
            low = middle + 1
        else:
            high = middle
    return low if lies(low) == address else -1


class Program:
    """`cute-analyzer eval --stdin`, asked many lines at once."""

    def __init__(self, path):
        self.path = path

    def ask(self, rows):
        text = "\n".join(json.dumps(row) for row in rows) + "\n"
        ran = subprocess.run(
            [self.path, "eval", "--stdin"], input=text, capture_output=True, text=True, check=True
        )
        return [json.loads(line) for line in ran.stdout.splitlines()]


def bases_of(text):
    """The bases in a printed attribute."""
    names = re.findall(r"(\w+) = (\[(?:\[[\d, ]*\](?:, )?)*\])", text)
    found = {name: json.loads(value) for name, value in names}
    alignment = re.search(r"alignment = (\d+)", text)
    if alignment:
        found["alignment"] = int(alignment[1])
    return found


def compare(program, kind, count):
    """Encodings of one kind: how many were compared, refused by Triton, wrong, refused by us alone, have xor strides, are
    padded behind a swizzle."""
    compared = both = wrong = alone = without = padded_swizzles = 0
    while compared < count:
        cases = [KINDS[kind]() for _ in range(min(BATCH, count))]
        said = answers(cases)
        texts = [found[0] if found else None for found in said]
        asked = [
            {"op": "eval", "expr": f"{text} on {'x'.join(map(str, extents))}", **form}
            for (_, extents), text in zip(cases, texts)
            if text
            for form in ({}, {"as": "linear"})
        ]
        replies = iter(program.ask(asked) if asked else [])
        for (layout, extents), found in zip(cases, said):
            if not found:
                both += 1
                continue
            text, bases = found
            ours, linear = next(replies), next(replies)
            compared += 1
            problem = None
            is_padded = isinstance(layout, gluon.PaddedSharedLayout)
            if "result" not in ours:
                # Padding behind a swizzle has no layout.
                message = ours.get("refused", {}).get("message", str(ours))
                if is_padded and "behind a swizzle" in message:
                    compared -= 1
                    padded_swizzles += 1
                    continue
                alone += 1
                problem = message
            else:
                problem = difference(layout, extents, bases, ours["result"])
                without += ":f" in ours["result"] or "f" in ours["result"]
                if problem is None and "result" in linear:
                    mine = bases_of(linear["result"])
                    theirs = {n: [list(b) for b in v] if n != "alignment" else v for n, v in bases.items()}
                    if mine != theirs:
                        problem = f"bases {mine}, not {theirs}"
                elif problem is None and not is_padded and "row" not in bases:
                    problem = f"no bases: {linear}"
                wrong += problem is not None
            if problem:
                print(f"{kind}: {text} on {extents}: {problem}")
    return compared, both, wrong, alone, without, padded_swizzles


def shared_of_cute():
    """A layout of CuTe with a bit of the offset for each bit of the coordinate, behind a swizzle or not."""
    rank = random.randint(1, 3)
    extents = split(random.randint(1, 12), rank)
    units = [(dim, bit) for dim in range(rank) for bit in range(extents[dim].bit_length() - 1)]
    random.shuffle(units)
    gaps = random.sample(range(len(units) + 2), len(units))
    at = {unit: 1 << bit for unit, bit in zip(units, sorted(gaps))}
    modes = [[at[dim, bit] for bit in range(extents[dim].bit_length() - 1)] for dim in range(rank)]
    inner = f"({','.join(side(mode, 2) for mode in modes)},):({','.join(side(mode) for mode in modes)},)"
    inner = inner.replace(",)", ")")
    swizzle = ""
    if random.random() < 0.5:
        bits = random.randint(0, 3)
        swizzle = f"Sw<{bits},{random.randint(0, 3)},{random.choice([1, -1]) * random.randint(bits, 4)}> o 0 o "
    return swizzle + inner, extents, {}


def distributed_of_cute():
    """A thread-value layout of CuTe that has every cell of a tile, some of them several times."""
    extents = split(random.randint(5, 12), random.randint(1, 3))
    cells = size(tuple(extents)).bit_length() - 1
    bits = [1 << bit for bit in range(cells)] + [0] * random.randint(0, 2)
    random.shuffle(bits)
    threads = random.randint(5, min(9, len(bits)))
    modes = [bits[:threads], bits[threads:]]
    text = f"({','.join(side(mode, 2) for mode in modes)}):({','.join(side(mode) for mode in modes)})"
    return text, extents, {"tile": f"({','.join(map(str, extents))},)".replace(",)", ")")}


def compare_back(program, make, count):
    """Random layouts of CuTe, each as bases, and evaluated by Triton."""
    wrong = 0
    cases = [make() for _ in range(count)]
    rows = [{"op": "eval", "expr": text, "as": "linear", **tile} for text, _, tile in cases]
    for (text, extents, _), reply in zip(cases, program.ask(rows)):
        if "result" in reply:
            bases = {"block": [], **bases_of(reply["result"])}
            problem = difference(None, extents, bases, text)
        else:
            problem = str(reply)
        if problem:
            wrong += 1
            print(f"back: {text} as {reply}: {problem}")
    return wrong


BACK = {"back_shared": shared_of_cute, "back_distributed": distributed_of_cute}


def side(mode, extent=None):
    """The extents or strides of the bits of a mode."""
    if not mode:
        return "1" if extent else "0"
    return f"({','.join(str(extent or step) for step in mode)})" if len(mode) > 1 else str(extent or mode[0])


def table(count, seed):
    """Attributes with their shapes and Triton's bases, for tests that have no wheel."""
    for kind, make in KINDS.items():
        random.seed(f"{seed} {kind}")
        made = 0
        while made < count:
            cases = [make() for _ in range(count)]
            for (layout, extents), found in zip(cases, answers(cases)):
                if found and made < count:
                    made += 1
                    row = {"text": found[0], "shape": extents, "bases": found[1]}
                    if isinstance(layout, gluon.PaddedSharedLayout):
                        row["padding"] = layout.interval_padding_pairs
                    print(json.dumps(row))
    return 0


def main():
    if sys.argv[1] == "table":
        return table(int(sys.argv[2]), int(sys.argv[3]))
    program, count, seed = Program(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    failed = 0
    for kind in sys.argv[4:] or [*KINDS, *BACK]:
        random.seed(f"{seed} {kind}")
        if kind in BACK:
            wrong = compare_back(program, BACK[kind], count)
            print(f"{kind}, CuTe's layouts as Triton's: {count} compared, {wrong} wrong", flush=True)
            failed += wrong
            continue
        compared, both, wrong, alone, without, padded_swizzles = compare(program, kind, count)
        print(
            f"{kind}: {compared} compared, {wrong} wrong, {alone} refused by us alone; "
            f"{without} with xor strides; {padded_swizzles} padded behind a swizzle; {both} refused by Triton",
            flush=True,
        )
        failed += wrong + alone
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
