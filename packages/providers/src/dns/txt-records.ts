import { promises as dns } from 'node:dns';

/** What name servers say of a name's TXT records, or why nothing is known. */
export type TxtRecords = { kind: 'found'; values: string[] } | { kind: 'absent' } | { kind: 'failed'; reason: string };

export interface TxtLookupOptions {
  /** `address` or `address:port` of name servers; none: those of this machine. */
  servers?: readonly string[];
  /** Of the first try; later ones wait longer. */
  timeoutMs?: number;
  tries?: number;
}

/** Looks a name up, anew each time. */
export type TxtLookup = (name: string) => Promise<TxtRecords>;

/** The name, or a record of this type, does not exist. */
const ABSENT = new Set(['ENOTFOUND', 'ENODATA']);
const REASONS: Readonly<Record<string, string>> = {
  ESERVFAIL: 'the name server could not answer',
  EREFUSED: 'the name server refused to answer',
  ETIMEOUT: 'the name server did not answer in time',
  ECONNREFUSED: 'the name server could not be reached',
};

export function createTxtLookup({ servers = [], timeoutMs = 2_000, tries = 2 }: TxtLookupOptions = {}): TxtLookup {
  return async (name) => {
    // One for each look: a resolver that has seen its server fail would not ask it again for a while.
    const resolver = new dns.Resolver({ timeout: timeoutMs, tries });
    if (servers.length > 0) resolver.setServers(servers);
    try {
      // A long value comes in pieces of 255 bytes.
      const records = await resolver.resolveTxt(name);
      return { kind: 'found', values: records.map((pieces) => pieces.join('')) };
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? String(error.code) : '';
      if (ABSENT.has(code)) return { kind: 'absent' };
      if (!/^E(?!RR_)/.test(code)) throw error;
      return { kind: 'failed', reason: REASONS[code] ?? `the look-up failed (${code})` };
    }
  };
}
