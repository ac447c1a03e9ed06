import { AppError } from '@jobline/contracts';
import type { StoredBytes } from '@jobline/db';
import type { ArtifactStore } from '@jobline/handlers';

/**
 * Reads an artifact or a file part by part, from Postgres or from the artifact store. Throws before the first part if what has the
 * bytes does not answer. Null: the artifact store has lost them.
 */
export type ReadStored = (stored: StoredBytes) => Promise<AsyncIterable<Uint8Array> | null>;

export function createReadStored(artifacts: ArtifactStore | null): ReadStored {
  return async ({ storeKeys, read }) => {
    if (storeKeys === null) return started(read());
    if (!artifacts) throw new Error('these bytes are in S3, but ARTIFACTS is not configured for S3');
    const [first, ...others] = storeKeys;
    if (first === undefined) return started(empty());
    const begun = await artifacts.read(first).catch(rethrowUnavailable);
    if (!begun || others.length === 0) return begun;
    return (async function* () {
      yield* begun;
      for (const key of others) {
        const next = await artifacts.read(key);
        if (!next) throw new Error('the artifact store has lost a part of a file');
        yield* next;
      }
    })();
  };
}

async function* empty(): AsyncIterable<Uint8Array> {}

/** Throws what callers get while the artifact store does not answer. */
export function rethrowUnavailable(cause: unknown): never {
  throw new AppError('unavailable', 'The artifact storage does not answer; try again in a few seconds.', {
    cause,
    headers: { 'Retry-After': '5' },
  });
}

/** Resolves to the same parts once the first one has been read. */
async function started(parts: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
}
