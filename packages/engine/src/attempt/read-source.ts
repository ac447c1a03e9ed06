import type { OrgId } from '@jobline/contracts';
import { type Db, findFile, findSourceArtifact, type StoredBytes, untilPostgresAnswers } from '@jobline/db';
import {
  type ArtifactStore,
  type NamedSource,
  type RunContext,
  type Source,
  sourceText,
  tooLargeSource,
  unreadableSource,
} from '@jobline/handlers';
import { createFairLimiter } from '@jobline/runtime';
import { createReadStored } from '../files/read-stored.js';
import type { Attempt } from './runs.js';

/** What one attempt reads. */
export interface SourceReads {
  read: RunContext['readSource'];
  /** Frees the memory of what was read. Call it when the handler has returned. */
  release(): void;
}

/** An attempt, or a request that sends an email. */
interface Reader {
  claim: Pick<Attempt['claim'], 'orgId'>;
  stop: Pick<Attempt['stop'], 'signal'>;
}

/** `named`: the sources in the payload, if its handler names them. */
export type StartSourceReads = (reader: Reader, named: () => readonly NamedSource[]) => SourceReads;

/** Memory for what the attempts of a process have read, and the part of it for one organization. */
const CAPACITY_BYTES = 64 * 1024 * 1024;
const ORG_SHARE = 1 / 2;

/**
 * Limits the memory of what attempts have read. Organizations get it in turns. An attempt reserves it once, before its first read, for
 * all sources that its handler names: an attempt that has read something and waits for more memory could wait forever.
 */
export function createSourceReads(
  { db, artifacts }: { db: Db; artifacts: ArtifactStore | null },
  capacityBytes = CAPACITY_BYTES,
): StartSourceReads {
  const limiter = createFairLimiter({ capacity: capacityBytes, weightPerOwner: capacityBytes * ORG_SHARE });
  const readStored = createReadStored(artifacts);

  async function find(orgId: OrgId, source: Source): Promise<StoredBytes | null> {
    return 'file' in source ? findFile(db, orgId, source.file) : findSourceArtifact(db, orgId, source);
  }

  return ({ claim: { orgId }, stop }, named) => {
    let reserving: Promise<void> | undefined;
    let release: (() => void) | undefined;
    let isOver = false;

    /** `first`: the size of the source that is read first. */
    async function reserve(first: number): Promise<void> {
      const others = named().length > 1 ? named() : [];
      const all = await Promise.all(others.map(({ source }) => find(orgId, source)));
      const weight = Math.max(
        first,
        all.reduce((sum, stored) => sum + (stored?.sizeBytes ?? 0), 0),
      );
      const free = await limiter.take({ owner: orgId, weight, signal: stop.signal() });
      if (isOver) free();
      else release = free;
    }

    return {
      async read(source, maxBytes) {
        const what = named().find((one) => sourceText(one.source) === sourceText(source))?.path ?? sourceText(source);
        const signal = stop.signal();
        const stored = await untilPostgresAnswers(() => find(orgId, source), { signal });
        if (!stored) throw unreadableSource(what, `cannot be read: ${missing(source)}`);
        if (stored.sizeBytes > maxBytes) throw tooLargeSource(what, stored.sizeBytes, maxBytes);
        reserving ??= reserve(stored.sizeBytes);
        await reserving;
        signal.throwIfAborted();
        const parts = await readStored(stored);
        if (!parts) throw unreadableSource(what, 'cannot be read: the artifact store has lost it');
        const chunks: Uint8Array[] = [];
        for await (const chunk of parts) chunks.push(chunk);
        return { name: stored.name, contentType: stored.contentType, bytes: Buffer.concat(chunks, stored.sizeBytes) };
      },
      release() {
        isOver = true;
        release?.();
      },
    };
  };
}

function missing(source: Source): string {
  if ('file' in source || source.artifact !== undefined) return `${sourceText(source)} does not exist (any more)`;
  return `job "${source.job}" does not exist (any more), or does not have exactly one artifact`;
}
