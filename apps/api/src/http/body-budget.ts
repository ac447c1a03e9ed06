import { getHeapStatistics } from 'node:v8';
import type { AppError } from '@jobline/contracts';
import { createWeightLimiter } from '@jobline/runtime';
import { overloaded } from './http-errors.js';

/** The memory that the bodies of requests may take in this process, shared out between their owners. */
export interface BodyBudget {
  /** Begins to count a body. `owner` is an organization, or an address where no credential is asked for. */
  open(owner: string): BodyMemory;
}

/** What one body takes. */
export interface BodyMemory {
  /** Counts bytes that were received. Throws `unavailable` when there is no memory for them. */
  receive(sizeBytes: number): void;
  /**
   * Resolves when the body may be parsed, and counts what it takes from then on. Small bodies never wait. Of large ones,
   * owners take turns, and one is parsed in each turn of the event loop. Throws `unavailable` when there is no memory in time.
   */
  parse(body: Uint8Array): Promise<void>;
  /** The body is needed no longer. Safe to call twice. */
  release(): void;
}

export interface BodyBudgetOptions {
  maxBytes: number;
  /** How long a large body may wait to be parsed. */
  waitMs: number;
}

export const BODY_BUDGET: BodyBudgetOptions = {
  // A quarter of the heap, because everything else is in it, too; more than so much is never needed.
  maxBytes: Math.min(getHeapStatistics().heap_size_limit / 4, 256 * 1024 * 1024),
  waitMs: 10_000,
};

const LARGE_BYTES = 64 * 1024;
/** The part of the budget that is for large bodies once they are parsed. The rest is for what is received and for small ones. */
const LARGE_SHARE = 1 / 2;
const LARGE_PER_OWNER = 4;
/** What one owner may take of that rest. */
const OWNER_SHARE = 1 / 2;

export function createBodyBudget({ maxBytes, waitMs }: BodyBudgetOptions = BODY_BUDGET): BodyBudget {
  const capacityBytes = (1 - LARGE_SHARE) * maxBytes;
  const large = createWeightLimiter({ capacity: LARGE_SHARE * maxBytes, maxPerOwner: LARGE_PER_OWNER });
  const heldOf = new Map<string, number>();
  let heldBytes = 0;

  /** `ownBytes`: what the same body holds. A body that no other one is beside may take more than there is. */
  function hold(owner: string, sizeBytes: number, ownBytes: number): void {
    const ofOwner = heldOf.get(owner) ?? 0;
    const own = ofOwner + sizeBytes;
    const isOverAll = heldBytes > ownBytes && heldBytes + sizeBytes > capacityBytes;
    const isOverShare = ofOwner > ownBytes && own > OWNER_SHARE * capacityBytes;
    if (sizeBytes > 0 && (isOverAll || isOverShare)) throw tooManyBodies();
    heldBytes += sizeBytes;
    if (own > 0) heldOf.set(owner, own);
    else heldOf.delete(owner);
  }

  return {
    open(owner) {
      let ownBytes = 0;
      let releaseLarge: () => void = () => undefined;
      const count = (sizeBytes: number) => {
        hold(owner, sizeBytes, ownBytes);
        ownBytes += sizeBytes;
      };
      return {
        receive: count,
        async parse(body) {
          const sizeBytes = parsedSize(body);
          if (body.length < LARGE_BYTES) return count(sizeBytes);
          releaseLarge = await large.take(owner, sizeBytes, AbortSignal.timeout(waitMs)).catch(() => {
            throw tooManyBodies();
          });
        },
        release() {
          count(-ownBytes);
          releaseLarge();
        },
      };
    },
  };
}

/**
 * About the bytes that V8 takes for the values of a JSON text, and never much less: every object, list, member and element
 * costs as much as measured for texts that are made of nothing else (22 MiB for 1 MiB of `{},`).
 */
export function parsedSize(json: Uint8Array): number {
  let sizeBytes = 2 * json.length;
  for (const byte of json) sizeBytes += COSTS[byte] ?? 0;
  return sizeBytes;
}

const COSTS = new Uint8Array(256);
COSTS[','.charCodeAt(0)] = 24;
COSTS['['.charCodeAt(0)] = 44;
COSTS['{'.charCodeAt(0)] = 44;
COSTS[':'.charCodeAt(0)] = 96;

function tooManyBodies(): AppError {
  return overloaded('The service is reading too many request bodies; try again in a second.');
}
