import type { Planted } from './database.js';

/** Statements with a planted bug, like a mistake in the product, and what the model must report. */
export const PLANTED_FAULTS: Record<string, { planted: Planted; shows: RegExp }> = {
  'a result that is recorded without a check of its token': {
    planted: {
      from: 'AND j.claim_token = e.token',
      to: '',
    },
    shows:
      /is recorded with the result of attempt|attempt \d+ was due|is recorded with "boom|its handler ended|its row contradicts itself/,
  },
  'a renewed entry that keeps its number': {
    planted: {
      from: 'SET enqueue_seq = j.enqueue_seq + 1, enqueued_at = date_trunc',
      to: 'SET enqueue_seq = j.enqueue_seq, enqueued_at = date_trunc',
    },
    shows: /was added again with its old id/,
  },
  'a manual retry that keeps the number of its entry': {
    planted: {
      from: '::job_place,\n        enqueue_seq + ',
      to: '::job_place,\n        enqueue_seq + 0 * ',
    },
    shows: /was added again with its old id/,
  },
  'a change that does not check the status of the job': {
    planted: { from: "AND d.was = 'pending' AND NOT d.is_expiring", to: 'AND NOT d.is_expiring' },
    shows: /entry note .*the job was (processing|done|failed)/,
  },
  'a change that keeps the old payload': {
    planted: { from: 'SET payload = coalesce(', to: 'SET payload = coalesce(o.payload, ' },
    shows: /ran with the payload from after a change/,
  },
  'a retry of a redacted job': {
    planted: { from: 'redacted_at IS NOT NULL OR', to: '' },
    shows: /an attempt ran with a redacted payload/,
  },
  'a release or a take-over that leaves its attempt without an end': {
    planted: { from: ", now, 'pending', run_ms FROM r)", to: ", now, 'pending', run_ms FROM r WHERE false)" },
    shows: /the job was processing|its log ends processing/,
  },
  'a take-over that leaves the job with its dead worker': {
    planted: {
      from: "UPDATE live_jobs j SET status = 'pending', crash_count = j.crash_count + 1, worker_id = NULL",
      to: "UPDATE live_jobs j SET status = 'processing', crash_count = j.crash_count + 1, worker_id = NULL",
    },
    shows: /its row contradicts itself|entry worker_lost .*the job was pending/,
  },
};

/** The same in functions of the database. */
export const PLANTED_IN_FUNCTIONS: Record<string, { inFunction: string; planted: readonly Planted[]; shows: RegExp }> =
  {
    'a condition that is met early, by a job that has failed': {
      inFunction: 'condition_state',
      planted: [{ from: `("ended" = 'failed' AND $2 = 'ended')`, to: `"ended" = 'failed'` }],
      shows: /started before its conditions were met|its condition "done" is met, and its job failed/,
    },
    'a job that each of its conditions makes due': {
      inFunction: 'settle_conditions',
      planted: [
        { from: `bool_or(c."state" = 'waiting') AS "waiting"`, to: 'false AS "waiting"' },
        { from: `j."status"::text = 'pending'\n                AND j."place" IN ('blocked', 'failing')`, to: 'true' },
      ],
      shows: /started before its conditions were met|its row contradicts itself/,
    },
    'a condition that is never met, because its job had ended before': {
      inFunction: 'begin_waiting',
      planted: [{ from: 'PERFORM "settle_conditions"("ended", 20000, false);', to: '' }],
      shows: /never finishes: it stays pending/,
    },
    'a retry that revives none of the jobs that failed because of it': {
      inFunction: 'settle_after',
      planted: [{ from: `WHERE e."key" = ANY ("awaited") ORDER BY`, to: 'WHERE false ORDER BY' }],
      shows: /its condition "done" is failed, and its job done/,
    },
  };
