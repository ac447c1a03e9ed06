import type { JobKey } from '@jobline/contracts';
import { listOccupancies } from '@jobline/db/job-transitions';
import { type Stored, wrongConditions } from './check-conditions.js';
import { followLog, type LogState } from './check-log.js';
import { wrongPayloads } from './check-payloads.js';
import { answersKey, note, runsOf } from './history.js';
import { type JobRow, type LineRow, readConditions, readLines, readRows } from './rows.js';
import type { ModelWorld } from './world.js';

export interface Violation {
  /** The sequence. Null if the violation belongs to no single sequence. */
  sequence: number | null;
  what: string;
}

/** Checks what must be true at any moment. */
export async function checkNow(world: ModelWorld): Promise<Violation[]> {
  const { rows, occupied } = await world.database.db.$transaction(
    async (tx) => ({
      rows: await readRows(tx),
      occupied: (await listOccupancies(tx)).reduce((sum, { running }) => sum + running, 0),
    }),
    { isolationLevel: 'RepeatableRead' },
  );
  const processing = rows.filter(({ status }) => status === 'processing').length;
  const shares =
    occupied === processing ? [] : [{ sequence: null, what: `shares of ${occupied} slots for ${processing} jobs` }];
  return [...shares, ...rows.filter(({ isOdd }) => isOdd).map((row) => of(world, row, 'its row contradicts itself'))];
}

/** Checks what must be true when everything has finished. */
export async function checkQuiet(world: ModelWorld, unfinished: number): Promise<Violation[]> {
  const { history, queue } = world;
  const [rows, lines] = [await readRows(world.database.db), await readLines(world)];
  const violations: Violation[] = [
    ...history.violations.map(({ orgId, what }) => ({ sequence: sequenceOf(world, orgId), what })),
    ...queue.reused.map((id) => {
      // The cast: an entry's id begins with its job's key, which is a UUID.
      const owner = history.ownerOf.get(id.slice(0, 36) as JobKey) ?? null;
      return { sequence: sequenceOf(world, owner), what: `the entry ${id} was added again with its old id` };
    }),
  ];
  if (unfinished > 0) violations.push(...stuck(world, rows, unfinished));
  for (const row of rows) {
    for (const what of problemsOf(world, row, lines.get(row.key) ?? [])) violations.push(of(world, row, what));
  }
  violations.push(...conditionProblems(world, rows, lines, await readConditions(world)));
  const kept = new Set(rows.map(({ key }) => key));
  for (const [key, [line]] of lines) {
    if (line && !kept.has(key)) violations.push(of(world, line, `log lines exist of the deleted job ${key}`));
  }
  return [...violations, ...wrongAnswers(world, rows)];
}

/** Jobs may wait for jobs that retention has deleted. */
function conditionProblems(
  world: ModelWorld,
  rows: readonly JobRow[],
  lines: Stored['lines'],
  conditions: Stored['conditions'],
): Violation[] {
  if (world.history.hasRetained) return [];
  const stored = { rows: new Map(rows.map((row) => [row.key, row])), lines, conditions };
  return rows.flatMap((row) => wrongConditions(row, stored).map((what) => of(world, row, what)));
}

function stuck(world: ModelWorld, rows: readonly JobRow[], unfinished: number): Violation[] {
  const left = rows.filter(({ status }) => status === 'pending' || status === 'processing');
  if (left.length === 0) return [{ sequence: null, what: `${unfinished} runs of workers never end` }];
  return left.map((row) => of(world, row, `never finishes: it stays ${row.status}`));
}

function problemsOf(world: ModelWorld, row: JobRow, lines: readonly LineRow[]): string[] {
  const { history } = world;
  const runs = runsOf(history, row.key);
  const log = followLog(row, lines, runs, (what) => note(history, what));
  const problems = [...log.problems];
  if (row.isOdd) problems.push('its row contradicts itself');
  if (log.status !== row.status) problems.push(`its log ends ${log.status}, its row ${row.status}`);
  if (log.attempt !== row.attempt) problems.push(`its log has ${log.attempt} attempts, its row ${row.attempt}`);
  if (runs.some(({ attempt }) => attempt > row.attempt)) problems.push('an attempt has run that is not recorded');
  if (row.isCanceled && row.hasStartedSince) problems.push('an attempt started after it was canceled');
  if (row.status === 'done' && row.result?.attempt !== row.attempt) {
    problems.push(`attempt ${row.attempt} is recorded with the result of attempt ${row.result?.attempt}`);
  }
  const boom = /^boom (\d+)$/.exec(row.errorMessage ?? '')?.[1];
  if (boom !== undefined && Number(boom) !== row.attempt)
    problems.push(`attempt ${row.attempt} is recorded with "boom ${boom}"`);
  return [...problems, ...wrongPayloads(row, lines, runs), ...wrongCounts(world, row, log)];
}

/** Callers must have got each answer as often as the log shows, unless an answer was lost. */
function wrongCounts({ history }: ModelWorld, row: JobRow, log: LogState): string[] {
  if (history.hasRetained || history.unanswered.has(row.orgId)) return [];
  const answered = history.answered.get(answersKey(row.orgId, row.id));
  const { fresh = 0, canceledAtOnce = 0, retried = 0, changed = 0 } = answered ?? {};
  return [
    fresh === 1 ? '' : `${fresh} callers got the answer that it is new`,
    canceledAtOnce === log.canceledAtOnce
      ? ''
      : `${canceledAtOnce} callers canceled it at once, its log shows ${log.canceledAtOnce}`,
    retried === log.retried ? '' : `${retried} callers retried it, its log shows ${log.retried}`,
    changed === log.changed ? '' : `${changed} callers changed it, its log shows ${log.changed}`,
  ].filter(Boolean);
}

/** Every job that was accepted must exist. */
function wrongAnswers(world: ModelWorld, rows: readonly JobRow[]): Violation[] {
  if (world.history.hasRetained) return [];
  const stored = new Set(rows.map(({ orgId, id }) => answersKey(orgId, id)));
  return [...world.history.answered.keys()]
    .filter((of) => !stored.has(of))
    .map((of) => ({ sequence: sequenceOf(world, of.split(' ')[0] ?? null), what: `an accepted job is lost: ${of}` }));
}

function of(world: ModelWorld, { key, orgId }: { key: JobKey; orgId: string }, what: string): Violation {
  return { sequence: sequenceOf(world, orgId), what: `job ${key}: ${what}` };
}

function sequenceOf(world: ModelWorld, orgId: string | null): number | null {
  const orgIds: readonly string[] = world.orgIds;
  return orgId !== null && orgIds.includes(orgId) ? orgIds.indexOf(orgId) : null;
}
