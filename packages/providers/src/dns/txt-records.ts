import { promises as dns } from 'node:dns';
import type { NameLookupOptions } from './name-lookup.js';

/** The TXT records of a name, or why they are not known. */
export type TxtRecords = { kind: 'found'; values: string[] } | { kind: 'absent' } | { kind: 'failed'; reason: string };

/** Looks up a name. Nothing is cached. */
export type TxtLookup = (name: string) => Promise<TxtRecords>;

/** The codes for a name, or a record of this type, that does not exist. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server could not answer',
  EREFUSED: 'the name server refused to answer',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server could not be reached',
};

export function createTxtLookup({ servers = [], timeoutMs = 2_000, tries = 2 }: NameLookupOptions = {}): TxtLookup {
  return async (name) => {
    // One resolver per lookup, because a resolver does not query a server again for a while after it has failed.
    const resolver = new dns.Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      // A long value consists of pieces of 255 bytes.
      const records = await resolver.resolveTxt(name);
      return { kind: 'found', values: records.map((pieces) => pieces.join('')) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (ABSENT.has(code)) return { kind: 'absent' };
      if (!/^E(?!RR_)/.test(code)) throw error;
      return { kind: 'failed', reason: REASONS[code] ?? `the lookup failed (${code})` };
    }
  };
}
