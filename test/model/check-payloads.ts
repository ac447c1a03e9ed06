import { type Json, REDACTED } from '@jobline/contracts';
import type { HandlerRun } from './history.js';
import type { JobRow, LineRow } from './rows.js';

/** The payload of a redacted job. No run may get it. */
export const REDACTED_PAYLOAD = { version: REDACTED };

/**
 * Compares the payloads of a job's runs, from the last run to the first. Each change writes another payload and a note. So a
 * run has the payload of the next run, or of the job at the end, unless there is such a note between them, or the job is redacted
 * at the end.
 */
export function wrongPayloads(row: JobRow, lines: readonly LineRow[], runs: readonly HandlerRun[]): string[] {
  const problems: string[] = [];
  if (runs.some(({ payload }) => isRedacted(payload))) problems.push('an attempt ran with a redacted payload');
  /** Undefined: not known. */
  let next: Json | undefined = isRedacted(row.payload) ? undefined : row.payload;
  let isChanged = false;
  for (const { kind, message, attempt } of lines.toReversed()) {
    if (kind === 'note' && message?.startsWith('changed on request') && message.includes('payload')) isChanged = true;
    const run = kind === 'started' ? runs.find((one) => one.attempt === attempt) : undefined;
    if (!run) continue;
    const isSame = JSON.stringify(run.payload) === JSON.stringify(next);
    if (next !== undefined && isSame === isChanged) {
      problems.push(`attempt ${attempt} ran with the payload from ${isChanged ? 'after' : 'before'} a change`);
    }
    next = run.payload;
    isChanged = false;
  }
  return problems;
}

function isRedacted(payload: Json): boolean {
  return JSON.stringify(payload) === JSON.stringify(REDACTED_PAYLOAD);
}
