import { crc32, deflateSync } from 'node:zlib';

const WIDTH = 1_600;
const HEIGHT = 1_000;

/** A picture that compresses like a photo: a landscape in haze, with the grain of a sensor. The same at every call. */
export function makePhoto(): Buffer {
  const rows = Buffer.alloc(HEIGHT * (1 + 3 * WIDTH));
  const grain = createGrain();
  for (let y = 0; y < HEIGHT; y++) {
    for (let x = 0; x < WIDTH; x++) {
      const at = y * (1 + 3 * WIDTH) + 1 + 3 * x;
      const noise = grain();
      const [red, green, blue] = colourAt(x / WIDTH, y / HEIGHT);
      rows[at] = clamp(red + noise);
      rows[at + 1] = clamp(green + noise);
      rows[at + 2] = clamp(blue + noise);
    }
  }
  return png(rows);
}

/** Sky, sun and four ranges of hills, the further ones paler; x and y from 0 to 1. */
function colourAt(x: number, y: number): [number, number, number] {
  for (let range = 3; range >= 0; range--) {
    const ridge = 0.45 + 0.13 * range + 0.05 * Math.sin(9 * x + 2.1 * range) + 0.02 * Math.sin(31 * x + 5 * range);
    if (y > ridge) return [150 - 34 * range, 165 - 30 * range, 185 - 38 * range];
  }
  const sun = 70 * Math.exp(-40 * ((x - 0.7) ** 2 + (y - 0.28) ** 2));
  return [190 - 60 * y + sun, 205 - 20 * y + 0.8 * sun, 235 - 40 * (1 - y) + 0.2 * sun];
}

function clamp(value: number): number {
  return Math.max(0, Math.min(255, Math.round(value)));
}

/** A linear congruential generator (Numerical Recipes' constants), so that the picture is the same everywhere. */
function createGrain(): () => number {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return (state >>> 24) / 16 - 8;
  };
}

/** 8-bit RGB, one image; each row of the data begins with its filter, 0. See the PNG specification, sections 5 and 11. */
function png(rows: Buffer): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(WIDTH, 0);
  header.writeUInt32BE(HEIGHT, 4);
  header.set([8, 2, 0, 0, 0], 8);
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([
    signature,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows, { level: 1 })),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const framed = Buffer.alloc(8 + body.length);
  framed.writeUInt32BE(data.length, 0);
  body.copy(framed, 4);
  framed.writeUInt32BE(crc32(body), 4 + body.length);
  return framed;
}
