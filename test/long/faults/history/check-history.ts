import { checkJob, type Expected, type FindingKind, type Window } from './check-job.js';
import type { PublicApi } from './public-api.js';
import type { Records } from './records.js';

/** What the history of a fault shows. */
export interface Summary {
  accepted: number;
  /** Submissions with an error response or without a response. */
  rejected: number;
  finished: number;
  /** How many logs were read. */
  logs: number;
  repeated: number;
  /** From the end of the fault until every job accepted before had its last call answered. */
  recoveryMs: number;
  findings: ReadonlyMap<FindingKind, number>;
  /** Why attempts were interrupted, and how many. */
  interruptions: ReadonlyMap<string, number>;
  /** The first findings, in words. */
  examples: string[];
}

const READERS = 48;
/** How many logs are read in addition to those of the jobs that called more often than planned or ended otherwise. */
const MAX_SAMPLE = 20_000;
/** Spreads the sample evenly over the submissions, whatever period their kinds have. */
const [STRIDE, PARTS] = [7_919, 1_000];
const MAX_EXAMPLES = 20;

/**
 * Compares the status of each accepted job with the records, and the log and the attempts of each job that is unusual, and of
 * a sample of the others.
 */
export async function checkHistory(options: {
  records: Records;
  api: PublicApi;
  expectedOf(n: number): Expected;
  /** Whether the job is due after some time, so that it says nothing about the recovery. */
  isLater(n: number): boolean;
  fault: Window;
  onProgress(read: number): void;
}): Promise<Summary> {
  const { records, api, expectedOf, isLater, fault, onProgress } = options;
  const findings = new Map<FindingKind, number>();
  const interruptions = new Map<string, number>();
  const count = <K>(counts: Map<K, number>, key: K) => counts.set(key, (counts.get(key) ?? 0) + 1);
  const { accepted, rejected } = records.counts();
  const summary: Summary = {
    accepted,
    rejected,
    finished: 0,
    logs: 0,
    repeated: 0,
    recoveryMs: 0,
    findings,
    interruptions,
    examples: [],
  };
  const statuses = await api.statuses();
  const sampled = PARTS * Math.min(1, MAX_SAMPLE / accepted);
  let next = 0;
  let read = 0;

  async function checkOne(n: number): Promise<void> {
    const seen = records.get(n);
    if (!seen) return;
    const status = statuses.get(seen.id);
    const expected = expectedOf(n);
    const isUnusual = seen.calls !== expected.failures + 1 || status !== expected.end;
    const isRead = status !== undefined && (isUnusual || (n * STRIDE) % PARTS < sampled);
    const final = { status, story: isRead ? await api.story(seen.id) : null };
    const { findings: found, isRepeated, interruptions: reasons } = checkJob(expected, seen, final, fault);
    if (status === 'done' || status === 'failed') summary.finished++;
    if (isRead) summary.logs++;
    if (isRepeated) summary.repeated++;
    if (seen.acceptedAt < fault.to && seen.answeredAt !== null && !isLater(n))
      summary.recoveryMs = Math.max(summary.recoveryMs, seen.answeredAt - fault.to);
    for (const reason of reasons) count(interruptions, reason);
    for (const { kind, detail } of found) {
      count(findings, kind);
      if (summary.examples.length < MAX_EXAMPLES) summary.examples.push(`${kind}: job ${seen.id} (${n}): ${detail}`);
    }
    read++;
    if (read % 10_000 === 0) onProgress(read);
  }

  const readers = Array.from({ length: READERS }, async () => {
    while (next < records.capacity) await checkOne(next++);
  });
  await Promise.all(readers);
  return summary;
}
