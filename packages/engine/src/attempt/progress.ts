import type { OrgId } from '@jobline/contracts';
import type { ReportedProgress } from '@jobline/db/job-transitions';
import { storableText } from '../reporting/job-log.js';
import type { Attempt } from './runs.js';

/** The progress that handlers of this worker report, on its way to Postgres. */
export type ProgressReports = ReturnType<typeof createProgressReports>;

/** Stores progress, and returns the organizations whose streams have something new. */
type Store = (reported: readonly ReportedProgress[]) => Promise<ReadonlySet<OrgId>>;

/** The progress of a job is stored at most this often. */
const INTERVAL_MS = 1_000;
const MAX_TEXT_BYTES = 1_024;
/** Reports of one statement. */
const MAX_REPORTS = 500;

/** Of one attempt. */
interface Entry {
  /** What is not stored yet: only the latest report is kept. */
  latest: ReportedProgress | null;
  /** When it was last stored, by performance.now(). */
  storedAt: number;
}

/**
 * Keeps one report for each attempt, the latest, so the cost of a report does not depend on their number. An attempt is
 * forgotten some time after its last report, so a report just before its end is stored, too.
 */
export function createProgressReports(store: Store, now = () => performance.now()) {
  const entries = new Map<string, Entry>();

  async function write(due: readonly Entry[]): Promise<ReadonlySet<OrgId>> {
    const taken = due.flatMap((entry) => (entry.latest ? [{ entry, report: entry.latest }] : []));
    for (const entry of due) entry.latest = null;
    try {
      return await store(
        taken.map(({ report }) => ({ ...report, text: report.text && storableText(report.text, MAX_TEXT_BYTES) })),
      );
    } catch (error) {
      for (const { entry, report } of taken) entry.latest ??= report;
      throw error;
    } finally {
      for (const entry of due) entry.storedAt = now();
    }
  }

  return {
    /** Takes the place of an earlier report of the attempt. Ignored when its handler has returned. */
    report({ claim: { key, token }, log, hasReturned }: Attempt, percent: number, text: string | null): void {
      if (hasReturned) return;
      const latest = { key, token, percent, text, at: log.now() };
      const entry = entries.get(token);
      if (entry) entry.latest = latest;
      else entries.set(token, { latest, storedAt: Number.NEGATIVE_INFINITY });
    },
    /**
     * Stores the reports of the attempts whose progress was last stored a second ago or earlier. Call it a few times per
     * second. `isEnd`: of all attempts. Returns the organizations whose streams have something new.
     */
    async flush(isEnd = false): Promise<ReadonlySet<OrgId>> {
      const due: Entry[] = [];
      for (const [token, entry] of entries) {
        if (!isEnd && now() - entry.storedAt < INTERVAL_MS) continue;
        if (entry.latest) due.push(entry);
        else entries.delete(token);
      }
      const orgIds = new Set<OrgId>();
      while (due.length > 0) for (const orgId of await write(due.splice(0, MAX_REPORTS))) orgIds.add(orgId);
      return orgIds;
    },
  };
}
