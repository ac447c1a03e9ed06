/** Limits the memory of the responses that their clients have not received yet. */
export interface ResponseBudget {
  /**
   * Counts a response until its client has received it. `owner` is an organization, or an address for endpoints without credentials.
   * When the responses exceed the budget, the owner with the most bytes loses the connection of its oldest response.
   */
  add(owner: string, response: UnsentResponse): void;
}

/** The part of Node's ServerResponse that is used. */
interface UnsentResponse {
  /** A response that waits for an earlier one of its connection is not closed with the connection, but its request is. */
  readonly req: Closable;
  readonly closed: boolean;
  readonly writableLength: number;
  once: Closable['once'];
  destroy(): unknown;
}

interface Closable {
  once(event: 'close', listener: () => void): unknown;
}

interface Unsent {
  sizeBytes: number;
  cut(): void;
}

/** Smaller responses are not counted. The limits of connections bound them. */
const LARGE_BYTES = 64 * 1024;

export function createResponseBudget(maxBytes: number): ResponseBudget {
  const unsentOf = new Map<string, Set<Unsent>>();
  let totalBytes = 0;

  function remove(owner: string, unsent: Unsent): void {
    const own = unsentOf.get(owner);
    if (!own?.delete(unsent)) return;
    totalBytes -= unsent.sizeBytes;
    if (own.size === 0) unsentOf.delete(owner);
  }

  /** Whether an older response was cut. The newest one is kept: its client may be about to receive it. */
  function cutOne(newest: Unsent): boolean {
    const [[owner, own] = []] = [...unsentOf].sort(([, a], [, b]) => bytesOf(b) - bytesOf(a));
    const oldest = own && [...own].find((unsent) => unsent !== newest);
    if (owner === undefined || !oldest) return false;
    remove(owner, oldest);
    oldest.cut();
    return true;
  }

  return {
    add(owner, response) {
      const sizeBytes = response.writableLength;
      if (sizeBytes < LARGE_BYTES || response.closed) return;
      const unsent = { sizeBytes, cut: () => response.destroy() };
      const own = unsentOf.get(owner);
      if (own) own.add(unsent);
      else unsentOf.set(owner, new Set([unsent]));
      totalBytes += sizeBytes;
      for (const either of [response, response.req]) either.once('close', () => remove(owner, unsent));
      while (totalBytes > maxBytes && cutOne(unsent));
    },
  };
}

function bytesOf(responses: ReadonlySet<Unsent>): number {
  let sum = 0;
  for (const { sizeBytes } of responses) sum += sizeBytes;
  return sum;
}
