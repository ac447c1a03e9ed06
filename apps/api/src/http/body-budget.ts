import { getHeapStatistics } from 'node:v8';
import type { AppError } from '@jobline/contracts';
import { createWeightLimiter } from '@jobline/runtime';
import { overloaded } from './http-errors.js';

/** Limits the memory that request bodies may use in this process, and shares it between their owners. */
export interface BodyBudget {
  /** Starts to count a body. `owner` is an organization, or an address for endpoints without credentials. */
  open(owner: string): BodyMemory;
}

/** The memory of one body. */
export interface BodyMemory {
  /** Counts received bytes. Throws `unavailable` when the budget is used up. */
  receive(sizeBytes: number): void;
  /**
   * Resolves when the body may be parsed, and counts its parsed size from then on. Small bodies never wait. Large bodies are
   * parsed one after the other, round-robin over the owners, one in each iteration of the event loop. Throws `unavailable`
   * when no memory becomes free in time.
   */
  parse(body: Uint8Array): Promise<void>;
  /** Frees the memory of the body. Safe to call twice. */
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
/** The part of the budget for parsed large bodies. The rest is for received bytes and for small bodies. */
const LARGE_SHARE = 1 / 2;
const LARGE_PER_OWNER = 4;
/** The part of that rest that one owner may use. */
const OWNER_SHARE = 1 / 2;

export function createBodyBudget({ maxBytes, waitMs }: BodyBudgetOptions = BODY_BUDGET): BodyBudget {
  const capacityBytes = (1 - LARGE_SHARE) * maxBytes;
  const large = createWeightLimiter({ capacity: LARGE_SHARE * maxBytes, maxPerOwner: LARGE_PER_OWNER });
  const heldOf = new Map<string, number>();
  let heldBytes = 0;

  /** `ownBytes`: what the same body holds already. A body may exceed the budget while there is no other body. */
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
 * An estimate of the bytes that V8 needs for the values of a JSON text, which is never much too low: every object, array,
 * member and element counts as much as measured in texts of nothing else (22 MiB for 1 MiB of `{},`).
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
  return overloaded('The service is processing too many request bodies; try again in a second.');
}
