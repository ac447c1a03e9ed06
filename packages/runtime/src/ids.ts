import { createHash, randomFillSync } from 'node:crypto';
import { stringify, v7 } from 'uuid';

export { v4 as randomId, validate as isUuid } from 'uuid';

const ID_BYTES = 16;
const TIME_BYTES = 6;
/** One call of the system provides the random bytes of 512 ids. A call for each id takes longer than all else of the id. */
const pool = new Uint8Array(512 * ID_BYTES);
let used = pool.length;
let last = { msecs: 0, seq: 0 };

/** Returns a UUID v7 (RFC 9562). Within a process, each id sorts after all earlier ones. */
export function newId(): string {
  const random = takeRandom();
  const now = Date.now();
  // The upper half of the numbers is left for the ids of the same millisecond.
  if (now > last.msecs) last = { msecs: now, seq: new DataView(random.buffer, random.byteOffset).getUint32(6) >>> 1 };
  else last.seq++;
  return v7({ random, ...last });
}

/** Returns a UUID that follows from another one and a name. It has the time of the other one. */
export function siblingId(id: string, name: string): string {
  const bytes = createHash('sha256').update(`${id}\0${name}`).digest().subarray(0, ID_BYTES);
  bytes.set(Buffer.from(id.replaceAll('-', ''), 'hex').subarray(0, TIME_BYTES));
  bytes.writeUInt16BE((bytes.readUInt16BE(6) & 0x0fff) | 0x7000, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return stringify(bytes);
}

function takeRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.subarray(used - ID_BYTES, used);
}
