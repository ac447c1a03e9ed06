import type { JobKey, Json } from '@jobline/contracts';
import type { Ending } from './program.js';

/** A run of a handler: its input and how it ended. */
export interface HandlerRun {
  key: JobKey;
  attempt: number;
  worker: string;
  payload: Json;
  /** Null while it runs. */
  ended: Ending | 'stopped' | null;
  end(how: Ending): void;
}

/** What a handler logs when its signal ends it. */
export const STOPPED_LINE = 'stopped by its signal';

/** How often callers got each answer about one of their ids. */
export interface Answered {
  fresh: number;
  canceledAtOnce: number;
  retried: number;
  changed: number;
}

/** Everything that was observed from outside while a program ran. */
export interface History {
  runs: Map<JobKey, HandlerRun[]>;
  /** Called when the next handler of a job starts. */
  onStart: Map<JobKey, (() => void)[]>;
  /** Maps each organization to its jobs in the order in which they became known. */
  jobs: Map<string, JobKey[]>;
  ownerOf: Map<JobKey, string>;
  /** By organization and id. */
  answered: Map<string, Answered>;
  /** Organizations with a call that got no answer, so it may have taken effect. */
  unanswered: Set<string>;
  /** How often each event happened. */
  counts: Map<string, number>;
  /** Violations that were observed immediately. */
  violations: { orgId: string | null; what: string }[];
  /** Whether jobs may have been deleted by retention. */
  hasRetained: boolean;
}

export function createHistory(): History {
  return {
    runs: new Map(),
    onStart: new Map(),
    jobs: new Map(),
    ownerOf: new Map(),
    answered: new Map(),
    unanswered: new Set(),
    counts: new Map(),
    violations: [],
    hasRetained: false,
  };
}

export function note(history: History, what: string, times = 1): void {
  history.counts.set(what, (history.counts.get(what) ?? 0) + times);
}

export function noteJob(history: History, orgId: string, key: JobKey): void {
  if (history.ownerOf.has(key)) return;
  history.ownerOf.set(key, orgId);
  history.jobs.set(orgId, [...(history.jobs.get(orgId) ?? []), key]);
}

export function noteAnswer(history: History, orgId: string, id: string, what: keyof Answered): void {
  const of = answersKey(orgId, id);
  const known = history.answered.get(of) ?? { fresh: 0, canceledAtOnce: 0, retried: 0, changed: 0 };
  history.answered.set(of, { ...known, [what]: known[what] + 1 });
}

export function answersKey(orgId: string, id: string): string {
  return `${orgId} ${id}`;
}

export function runsOf(history: History, key: JobKey): HandlerRun[] {
  return history.runs.get(key) ?? [];
}

export function addRun(history: History, run: HandlerRun): void {
  const others = runsOf(history, run.key);
  if (others.some(({ attempt }) => attempt === run.attempt)) {
    const orgId = history.ownerOf.get(run.key) ?? null;
    history.violations.push({ orgId, what: `attempt ${run.attempt} of ${run.key} has run twice` });
  }
  history.runs.set(run.key, [...others, run]);
  note(history, 'handler started');
  const awaited = history.onStart.has(run.key) ? run.key : awaitedInsteadOf(history, run.key);
  if (awaited === undefined) return;
  for (const started of history.onStart.get(awaited) ?? []) started();
  history.onStart.delete(awaited);
}

/** The entry of a held job may have started another job of its organization. */
function awaitedInsteadOf(history: History, key: JobKey): JobKey | undefined {
  const owner = history.ownerOf.get(key);
  return [...history.onStart.keys()].find((one) => history.ownerOf.get(one) === owner);
}

/** Resolves when the next handler of the job starts, or one of another job of its organization that nothing waits for. */
export function nextStart(history: History, key: JobKey): Promise<void> {
  return new Promise((resolve) => {
    history.onStart.set(key, [...(history.onStart.get(key) ?? []), resolve]);
  });
}
