// icon.mjs FILE: draws the extension's icon, an 8 x 8 layout whose cells are coloured by bank, swizzled:
// the bank of (row, column) is column xor row.
import { writeFileSync } from "node:fs";
import { crc32, deflateSync } from "node:zlib";

const SIZE = 256;
const CELLS = 8;
const MARGIN = 16;
const GAP = 2;
const BACKGROUND = [0x1f, 0x27, 0x33];
const BANKS = [
  [0x4c, 0xc9, 0xf0], [0x48, 0x95, 0xef], [0x43, 0x61, 0xee], [0x72, 0x09, 0xb7],
  [0xf7, 0x25, 0x85], [0xff, 0x6b, 0x35], [0xff, 0xb7, 0x03], [0x76, 0xc8, 0x93],
];

function colour(x, y) {
  const pitch = (SIZE - 2 * MARGIN) / CELLS;
  const [column, row] = [Math.floor((x - MARGIN) / pitch), Math.floor((y - MARGIN) / pitch)];
  const [inX, inY] = [x - MARGIN - column * pitch, y - MARGIN - row * pitch];
  const inside = row >= 0 && row < CELLS && column >= 0 && column < CELLS;
  const onCell = inside && [inX, inY].every((offset) => offset >= GAP && offset < pitch - GAP);
  return onCell ? BANKS[column ^ row] : BACKGROUND;
}

function chunk(type, data) {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const frame = Buffer.alloc(4);
  frame.writeUInt32BE(data.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(body));
  return Buffer.concat([frame, body, check]);
}

const header = Buffer.alloc(13);
header.writeUInt32BE(SIZE, 0);
header.writeUInt32BE(SIZE, 4);
header.set([8, 2, 0, 0, 0], 8); // 8 bits, RGB, deflate, no filter, not interlaced
const rows = Array.from({ length: SIZE }, (_, y) => [0, ...Array.from({ length: SIZE }, (_, x) => colour(x, y)).flat()]);
const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const pixels = deflateSync(Buffer.from(rows.flat()), { level: 9 });
writeFileSync(process.argv[2], Buffer.concat([signature, chunk("IHDR", header), chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]));
