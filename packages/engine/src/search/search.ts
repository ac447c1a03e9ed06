import { type Channel, type FoundKind, type OrgId, SEARCH_LIMITS, type VisibleTypes } from '@jobline/contracts';
import {
  type Candidate,
  type Db,
  findEntries,
  findExactly,
  listNamed,
  listSearchedJobs,
  listSearchedMessages,
  type NamedKind,
  type NamedRow,
  type ReserveMemory,
  withTimeLimit,
} from '@jobline/db';
import { ABOUT_TYPES } from '@jobline/handlers';
import { scopesOf, TYPE_OF_CHANNEL, textsOfJob, textsOfMessage } from './entries.js';
import { equals, fold, lookupsOf, matches, parseSearch, type SearchQuery, wordsOf } from './words.js';

/** What a caller may find. */
export interface SearchRights {
  kinds: readonly FoundKind[];
  types: VisibleTypes;
}

export interface Found {
  kind: FoundKind;
  id: string;
  title: string;
  /** Null: the kind has none. */
  status: string | null;
  at: Date;
  /** Of a message. */
  channel?: Channel;
}

/** A match, and how good it is: a lower rank comes first. */
type Ranked = Found & { rank: number };

/** Candidates that are read together, and the bytes of the payloads of one such page. */
const PAGE = { entries: 60, bytes: 1024 ** 2 };
/** Pages for the same words. Candidates that do not match any more are few, unless very many jobs were deleted or changed. */
const MAX_PAGES = 6;
const LOOKUP_LIMIT_MS = 250;

/**
 * Finds what an organization has by beginnings of words, the best first. The index only proposes: each candidate is compared
 * as it is now, without what is redacted. Each step reads a limited number of rows, however many match.
 */
export async function search(
  db: Db,
  orgId: OrgId,
  text: string,
  rights: SearchRights,
  reserve: ReserveMemory,
): Promise<Found[]> {
  const query = parseSearch(text);
  if (!query) return [];
  const named = await findNamed(db, orgId, query, rights);
  const entries = await findIndexed(db, orgId, { text, query }, rights, reserve);
  const all = [...named, ...entries].sort(byRank).slice(0, SEARCH_LIMITS.results);
  return all.map(({ rank: _, ...found }) => found);
}

/** Of equally good matches, what an organization has few of comes first, then the newest. */
function byRank(a: Ranked, b: Ranked): number {
  const isEntry = ({ kind }: Ranked) => Number(kind === 'job' || kind === 'message');
  return a.rank - b.rank || isEntry(a) - isEntry(b) || b.at.getTime() - a.at.getTime();
}

/** Null: the texts do not match. `names`: those by which people know it. */
function rankOf(query: SearchQuery, names: readonly string[], values: readonly string[]): number | null {
  const words = wordsOf([...names, ...values]);
  if (!matches(query, words)) return null;
  if (names.some((name) => equals(query, fold(name)))) return 0;
  if ([...words.wholes].some((value) => equals(query, value))) return 1;
  if (names.some((name) => fold(name).startsWith(query.whole))) return 2;
  const whole = new Set(wordsOf(names).words);
  return query.words.every((word) => whole.has(word)) ? 3 : 4;
}

async function findNamed(db: Db, orgId: OrgId, query: SearchQuery, { kinds, types }: SearchRights): Promise<Ranked[]> {
  const named = kinds.filter((kind): kind is NamedKind => kind !== 'job' && kind !== 'message');
  if (named.length === 0) return [];
  const rows = await listNamed(db, orgId, named);
  return rows.flatMap((row) => {
    if (row.kind === 'schedule' && row.detail !== null && !isVisible(types, row.detail)) return [];
    const host = row.kind === 'webhook' && row.detail !== null ? new URL(row.detail).hostname : null;
    const rank = rankOf(query, [row.name, ...(host === null ? [] : [host])], []);
    return rank === null ? [] : [{ ...toFound(row, host), rank }];
  });
}

function toFound({ kind, id, name, status, createdAt }: NamedRow, host: string | null): Found {
  return { kind, id, title: name || (host ?? ''), status, at: createdAt };
}

function isVisible(types: VisibleTypes, type: string): boolean {
  return types === null || types.includes(type);
}

/** Finds jobs and messages. */
async function findIndexed(
  db: Db,
  orgId: OrgId,
  { text, query }: { text: string; query: SearchQuery },
  rights: SearchRights,
  reserve: ReserveMemory,
): Promise<Ranked[]> {
  const kinds = (['job', 'message'] as const).filter((kind) => rights.kinds.includes(kind));
  if (kinds.length === 0) return [];
  const scopes = rights.types?.flatMap((type) => kinds.map((kind) => scopesOf(kind, type)[1]));
  const allowed = scopes ?? (kinds.length === 2 ? null : kinds.map((kind) => scopesOf(kind, '')[0]));
  const seen = new Set<string>();
  const found: Ranked[] = [];

  async function take(candidates: readonly Candidate[]): Promise<void> {
    let left = candidates.filter(({ kind, key }) => rights.kinds.includes(kind) && !seen.has(key) && seen.add(key));
    for (let page = 0; page < MAX_PAGES && left.length > 0 && found.length < SEARCH_LIMITS.results; page++) {
      const next = left.slice(0, PAGE.entries);
      const ofKind = (kind: Candidate['kind']) => next.flatMap((one) => (one.kind === kind ? [one.key] : []));
      const { matching, unread } = await readCandidates(ofKind('job'), ofKind('message'));
      found.push(...matching);
      left = [...next.filter(({ key }) => unread.has(key)), ...left.slice(next.length)];
    }
  }

  async function readCandidates(keys: readonly string[], ids: readonly string[]) {
    const jobs = await listSearchedJobs(db, orgId, keys, { types: ABOUT_TYPES, maxBytes: PAGE.bytes, reserve });
    const messages = ids.length === 0 ? [] : await listSearchedMessages(db, orgId, ids);
    const matching: Ranked[] = [];
    for (const job of jobs.rows) {
      const { names, others } = textsOfJob(job);
      const rank = isVisible(rights.types, job.type) ? rankOf(query, [job.id, ...names], others) : null;
      const [title] = names;
      const { id, status, createdAt: at } = job;
      if (rank !== null)
        matching.push({
          kind: 'job',
          id,
          title: title === undefined ? job.type : `${job.type}: ${title}`,
          status,
          at,
          rank,
        });
    }
    for (const message of messages) {
      const names = textsOfMessage(message);
      const rank = isVisible(rights.types, TYPE_OF_CHANNEL[message.channel]) ? rankOf(query, names, []) : null;
      const { key: id, status, createdAt: at, channel, recipient, subject } = message;
      if (rank !== null) matching.push({ kind: 'message', id, title: subject ?? recipient, status, at, rank, channel });
    }
    return { matching, unread: new Set(keys.slice(jobs.read)) };
  }

  if (kinds.includes('job')) await take(await findExactly(db, orgId, text.trim()));
  for (const lookup of lookupsOf(query)) {
    if (found.length >= SEARCH_LIMITS.results) break;
    await take(await withTimeLimit(db, LOOKUP_LIMIT_MS, (session) => findEntries(session, orgId, lookup, allowed)));
  }
  return found;
}
