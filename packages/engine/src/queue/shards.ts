import type { JobKey } from '@jobline/contracts';

/**
 * Divides a queue into shards, each of which is a queue of BullMQ with its own slot of a Redis Cluster. The first shard
 * has the name of the queue.
 */

export const MAX_SHARDS = 16;

/** It occurs neither in prefixes nor in names of queues. */
const SEPARATOR = '~';
const SLOTS = 16_384;
/** Maximum distance between the slot that a shard should have and the slot of its tag. */
const NEAR = 64;

/**
 * Returns the number of the shard that has the entries of a job, those of its retries included. A chunk is where its
 * first job belongs. The last digits of a key are random.
 */
export function shardOf(key: JobKey, shards: number): number {
  return shards === 1 ? 0 : Number.parseInt(key.slice(-8), 16) % shards;
}

/** Returns the names of the shards of a queue, by their numbers. */
export function shardNames(queue: string, shards: number): string[] {
  return Array.from({ length: shards }, (_, n) => shardName(queue, n));
}

export function allShards(queues: readonly string[], shards: number): string[] {
  return queues.flatMap((queue) => shardNames(queue, shards));
}

export function shardName(queue: string, n: number): string {
  return n === 0 ? queue : `${queue}${SEPARATOR}${n}`;
}

/**
 * Returns the hash tag of a shard. The slots of the first two shards are half of all slots apart, those of the first
 * four a quarter, and so on. Random slots would often leave a master without a shard.
 */
export function hashTag(prefix: string, shard: string): string {
  const tag = `${prefix}-${shard}`;
  const [queue = '', n] = shard.split(SEPARATOR);
  if (n === undefined) return tag;
  const wanted = slotOf(`${prefix}-${queue}`) + SLOTS * bitReversed(Number(n));
  for (let i = 0; ; i++) {
    const candidate = `${tag}${SEPARATOR}${i}`;
    if ((slotOf(candidate) - wanted + 2 * SLOTS) % SLOTS < NEAR) return candidate;
  }
}

/** Returns the slot of a Redis Cluster that has the keys with a hash tag. */
export function slotOf(tag: string): number {
  return crc16(tag) % SLOTS;
}

/** Returns 1/2 for 1, 1/4 for 2, 3/4 for 3, 1/8 for 4 and so on. */
function bitReversed(n: number): number {
  let fraction = 0;
  for (let rest = n, half = 0.5; rest > 0; rest = Math.floor(rest / 2), half /= 2) fraction += half * (rest % 2);
  return fraction;
}

/** The checksum CRC-16/XMODEM, from which Redis computes slots. */
function crc16(text: string): number {
  let crc = 0;
  for (const byte of Buffer.from(text)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = (crc & 0x8000) === 0 ? crc << 1 : (crc << 1) ^ 0x1021;
    crc &= 0xffff;
  }
  return crc;
}
