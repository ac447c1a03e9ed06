import { getHeapStatistics } from 'node:v8';
import type { AppError } from '@jobline/contracts';
import { createFairLimiter } from '@jobline/runtime';
import { overloaded } from '../http/errors.js';

/**
 * Limits the memory that request bodies, and stored JSON that requests read, may use in this process. Shares it between their
 * owners.
 */
export interface BodyBudget {
  /** Starts to count a request. `owner` is an organization, or an address for endpoints without credentials. */
  open(owner: string): BodyMemory;
}

/** The memory of one request. */
export interface BodyMemory {
  /** Counts received bytes. Throws `unavailable` when the budget is used up. */
  receive(sizeBytes: number): void;
  /**
   * Resolves when the body may be parsed, and counts its parsed size from then on. Small bodies never wait. Large bodies are
   * parsed one after the other, round-robin over the owners, one in each iteration of the event loop. Throws `unavailable`
   * when no memory becomes free in time.
   */
  parse(body: Uint8Array): Promise<void>;
  /**
   * Resolves when stored JSON of this size may be read and parsed, in turns like those of large bodies. Replaces the reservation that
   * the request had. Throws `unavailable` when no memory becomes free in time.
   */
  reserve(jsonBytes: number): Promise<void>;
  /**
   * Resolves when the next part of a long validation may run: parts have turns like large bodies, so that other requests are answered
   * in between. Throws `unavailable` when no turn comes in time.
   */
  nextTurn(): Promise<void>;
  /** Frees the memory of the request. Safe to call twice. */
  release(): void;
}

export interface BodyBudgetOptions {
  maxBytes: number;
  /** How long a large body may wait to be parsed. */
  waitMs: number;
}

export const BODY_BUDGET: BodyBudgetOptions = {
  // A quarter of the heap, because everything else needs memory too; more than 256 MiB is never needed.
  maxBytes: Math.min(getHeapStatistics().heap_size_limit / 4, 256 * 1024 * 1024),
  waitMs: 10_000,
};

const LARGE_BYTES = 64 * 1024;
/**
 * The part of the budget for parsed large bodies. The rest is for received bytes and for small bodies. Stored JSON has as much as
 * the large bodies, in addition: a request that waits for it may hold a large body.
 */
const LARGE_SHARE = 1 / 2;
const LARGE_PER_OWNER = 4;
/** Most bytes that V8 needs for the values of one byte of JSON, as `parsedSize` estimates them: of `{},`. */
const MOST_PER_BYTE = 25;

export function createBodyBudget({ maxBytes, waitMs }: BodyBudgetOptions = BODY_BUDGET): BodyBudget {
  const capacityBytes = (1 - LARGE_SHARE) * maxBytes;
  const [large, stored] = [createLimiter(), createLimiter()];
  const turns = createFairLimiter({ capacity: 1, waitMs, isPaced: true, tooMany: tooManyBodies });
  const heldOf = new Map<string, number>();
  let heldBytes = 0;

  function createLimiter() {
    const limits = { capacity: LARGE_SHARE * maxBytes, perOwner: LARGE_PER_OWNER, waitMs };
    return createFairLimiter({ ...limits, isPaced: true, tooMany: tooManyBodies });
  }

  /**
   * An owner may hold at most as much as stays free: half of the capacity while it is alone, and less with every other owner. So a
   * dozen owners of large bodies leave memory for the small bodies of others. A body may exceed the budget while there is no other
   * body. `ownBytes`: what the same body holds already.
   */
  function hold(owner: string, sizeBytes: number, ownBytes: number): void {
    const own = (heldOf.get(owner) ?? 0) + sizeBytes;
    const freeBytes = capacityBytes - heldBytes - sizeBytes;
    if (sizeBytes > 0 && heldBytes > ownBytes && own > freeBytes) throw tooManyBodies();
    heldBytes += sizeBytes;
    if (own > 0) heldOf.set(owner, own);
    else heldOf.delete(owner);
  }

  return {
    open(owner) {
      let ownBytes = 0;
      let releaseLarge: () => void = () => undefined;
      let releaseStored: () => void = () => undefined;
      const count = (sizeBytes: number) => {
        hold(owner, sizeBytes, ownBytes);
        ownBytes += sizeBytes;
      };
      return {
        receive: count,
        async parse(body) {
          const sizeBytes = parsedSize(body);
          if (body.length < LARGE_BYTES) return count(sizeBytes);
          releaseLarge = await large.take({ owner, weight: sizeBytes });
        },
        async reserve(jsonBytes) {
          releaseStored();
          if (jsonBytes >= LARGE_BYTES) {
            releaseStored = await stored.take({ owner, weight: MOST_PER_BYTE * jsonBytes });
          }
        },
        nextTurn: () => turns.run(() => Promise.resolve(), { owner }),
        release() {
          count(-ownBytes);
          releaseLarge();
          releaseStored();
        },
      };
    },
  };
}

/**
 * An estimate of the bytes that V8 needs for the values of a JSON text, which is never much too low: every object, array,
 * member and element counts as much as measured in texts of nothing else (22 MiB for 1 MiB of `{},`).
 */
export function parsedSize(json: Uint8Array): number {
  let sizeBytes = 2 * json.length;
  // Not an iterator: until it is optimized, it blocks the event loop for 60 ms per MiB.
  for (let n = 0; n < json.length; n++) sizeBytes += COSTS[json[n] ?? 0] ?? 0;
  return sizeBytes;
}

const COSTS = new Uint8Array(256);
COSTS[','.charCodeAt(0)] = 24;
COSTS['['.charCodeAt(0)] = 44;
COSTS['{'.charCodeAt(0)] = 44;
COSTS[':'.charCodeAt(0)] = 96;

function tooManyBodies(): AppError {
  return overloaded('The service is processing too many request bodies; try again in a second.');
}
