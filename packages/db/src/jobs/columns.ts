import type { ConditionWhen, JobKey, OrgId } from '@jobline/contracts';
import { Prisma } from '../generated/client.js';

/** What a job takes over from the schedule that makes it, or from the job of which it is a rerun, in addition to its payload. */
export interface JobSpec {
  type: string;
  maxRetries: number;
  priority: number;
  /** Each matches TAG_PATTERN. */
  tags?: readonly string[] | null | undefined;
  limitKey?: string | null | undefined;
  /** The name of a limit that the job is under, in addition to those that list its type. */
  limitName?: string | null | undefined;
  callbackUrl?: string | null | undefined;
}

/** Copies the fields of a JobSpec, without the others that a row has. */
export function specOf({ type, maxRetries, priority, tags, limitKey, limitName, callbackUrl }: JobSpec): JobSpec {
  return { type, maxRetries, priority, tags, limitKey, limitName, callbackUrl };
}

/** SQL: the fields of a JobSpec, of a table or view that has them in columns. */
export function specColumns(table: string): Prisma.Sql {
  const of = (column: string) => Prisma.raw(`${table}.${column}`);
  return Prisma.sql`${of('type')}, ${of('max_retries')} AS "maxRetries", ${of('priority')}, ${of('tags')},
    ${of('limit_key')} AS "limitKey", ${of('limit_name')} AS "limitName", ${of('callback_url')} AS "callbackUrl"`;
}

/** What a handler may know of its job, in addition to what decides how it runs. */
export interface ClaimedJob {
  id: string;
  tags: readonly string[] | null;
  priority: number;
  createdAt: Date;
  runAt: Date;
  /** The schedule that made the job, and the planned time: null if it was run by hand. */
  scheduleId: string | null;
  plannedAt: Date | null;
}

/** One entry of `after`. */
export interface Condition {
  /** Of the job for which it waits. */
  id: string;
  when: ConditionWhen;
  /** Whether the payload refers to the result of that job. */
  refers: boolean;
}

export interface NewJob extends JobSpec {
  key: JobKey;
  orgId: OrgId;
  id: string;
  queue: string;
  /** JSON text. */
  payload: string;
  /** Hash of the normalized submission, only for a caller-chosen id. */
  contentHash: Uint8Array<ArrayBuffer> | null;
  /** Null or in the past: the job is due now. */
  runAt: Date | null;
  /** The span of the submission in the form of the W3C header `traceparent`; null: it was not traced. */
  traceparent: string | null;
  rerunOf?: string | undefined;
  /** No attempt starts at or after this time. */
  expiresAt?: Date | undefined;
  /** What its payload takes bytes from: files and other jobs. */
  sources?: readonly SourceRef[] | undefined;
  /** What its payload names: each the field and the value, as `job_abouts` has them. */
  abouts?: readonly string[] | undefined;
  /** The schedule that makes the job, and the planned time; without the time it is run by hand. */
  scheduleId?: string | undefined;
  plannedAt?: Date | undefined;
  /** Whether no webhook gets its end. */
  isQuiet?: boolean | undefined;
  /** The jobs for which it waits. Absent or empty: none. */
  after?: readonly Condition[] | undefined;
  /** Whether the job's queue has capacity in Redis, and its organization has no job that waits for the queue. */
  hasCapacity: boolean;
}

/** A file, or a job that has made artifacts, as the tables name it. */
export type SourceRef = `file:${string}` | `job:${string}`;

type Table = 'submitted' | 'live' | 'finished';

/** A column of a field that few jobs have. */
interface RareColumn {
  name: string;
  /** The type of the parameter, and what it is for a job. */
  type: 'text' | 'timestamptz' | 'uuid' | 'bool';
  valueIn(job: NewJob): string | null | undefined;
  /** The tables that have the column, and in SQL what they store of the parameters `p`, if it is not the parameter itself. */
  tables: readonly Table[];
  stored: Partial<Record<Table, string>>;
}

function rare(
  name: string,
  type: RareColumn['type'],
  tables: readonly Table[],
  valueIn: RareColumn['valueIn'],
  stored: RareColumn['stored'] = {},
): RareColumn {
  return { name, type, tables, valueIn, stored };
}

/** A new field of a submission is one more line here. */
const RARE: readonly RareColumn[] = [
  rare('tags', 'text', ['submitted', 'live', 'finished'], (job) => arrayText(job.tags), {
    submitted: 'p.tags::text[]',
    live: 'p.tags::text[]',
  }),
  rare('limit_key', 'text', ['submitted', 'live', 'finished'], (job) => job.limitKey),
  rare('rerun_of', 'text', ['submitted'], (job) => job.rerunOf),
  rare('expires_at', 'timestamptz', ['live', 'finished'], (job) => job.expiresAt?.toISOString()),
  rare('callback_url', 'text', ['submitted'], (job) => job.callbackUrl),
  rare('limit_name', 'text', ['submitted', 'live'], (job) => job.limitName),
  rare('schedule_id', 'uuid', ['submitted', 'live'], (job) => job.scheduleId, {
    live: 'CASE WHEN p.planned_at IS NOT NULL THEN p.schedule_id END',
  }),
  rare('refers', 'bool', ['submitted', 'live'], ({ after }) =>
    after?.length ? `${after.some(({ refers }) => refers)}` : null,
  ),
  rare('planned_at', 'timestamptz', ['submitted'], (job) => job.plannedAt?.toISOString()),
  rare('sources', 'text', ['live', 'finished'], (job) => arrayText(job.sources), { live: 'p.sources::text[]' }),
  rare('abouts', 'text', ['submitted'], (job) => arrayText(job.abouts), { submitted: 'p.abouts::text[]' }),
  rare('is_quiet', 'bool', ['live'], (job) => (job.isQuiet ? 'true' : null)),
];

/** Tags, or sources, as the text of a Postgres array. */
export function arrayText(texts: readonly string[] | null | undefined): string | null {
  return texts?.length ? `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join()}}` : null;
}

/** SQL: the rare fields of new jobs, an array for each. An array that is null has only nulls. */
export function rareValues(jobs: readonly NewJob[]): Prisma.Sql {
  return Prisma.join(
    RARE.map(({ type, valueIn }) => {
      const values = jobs.map((job) => valueIn(job) ?? null);
      return Prisma.sql`${values.every((value) => value === null) ? null : values}::${Prisma.raw(type)}[]`;
    }),
  );
}

/** SQL: the names of these arrays. */
export const RARE_NAMES = Prisma.raw(RARE.map(({ name }) => name).join());

/** SQL: the rare columns of a table, and what a new job has in them. */
export const RARE_COLUMNS = { submitted: rareColumns('submitted'), live: rareColumns('live') };

function rareColumns(table: Table): { names: Prisma.Sql; values: Prisma.Sql } {
  const columns = RARE.filter(({ tables }) => tables.includes(table));
  return {
    names: Prisma.raw(columns.map(({ name }) => name).join()),
    values: Prisma.raw(columns.map(({ name, stored }) => stored[table] ?? `p.${name}`).join()),
  };
}

/** The claim of an attempt sets the version, which no new job has. */
const KEPT = [...RARE.filter(({ tables }) => tables.includes('finished')).map(({ name }) => name), 'worker_version'];

/** SQL: the rare columns that a finished job takes over from its live row `j`, and a retried one from its finished row. */
export const KEPT_COLUMNS = Prisma.raw(KEPT.join());
export const KEPT_COLUMNS_OF_J = Prisma.raw(KEPT.map((name) => `j.${name}`).join());
