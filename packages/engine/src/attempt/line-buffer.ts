import { inspect } from 'node:util';
import { LIMITS, LOG_LEVELS, type LogKind, type LogLevel } from '@jobline/contracts';
import type { LogLine } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { NOTES, storableText } from '../reporting/job-log.js';

/** The log entries of one attempt that are not in Postgres yet. */
export type LineBuffer = ReturnType<typeof createLineBuffer>;

/**
 * Each entry gets the start of the attempt by the database plus the monotonic time since then. So the order and the
 * times of the entries agree, whatever the clock of this machine shows.
 */
export function createLineBuffer(startedAt: Date) {
  const openedAt = performance.now();
  let lines: LogLine[] = [];
  let count = 0;
  let isClosed = false;
  let confirmed = 0;
  let isInDoubt = false;

  function push(kind: LogKind, level: LogLevel, message: string | null): void {
    const at = new Date(startedAt.getTime() + Math.floor(elapsedMs(openedAt)));
    lines.push({ kind, level, message: message && storableText(message, LIMITS.logLineBytes), at });
  }

  function putBack(taken: LogLine[]): void {
    lines = [...taken, ...lines];
  }

  return {
    /** Adds an entry of the handler, or an entry of the engine about the attempt, up to the limits of an attempt. */
    write(level: LogLevel, message: string, kind: 'log' | 'note' | 'canceled' = 'log'): void {
      // A handler written in JavaScript may pass any value.
      const known = LOG_LEVELS.includes(level) ? level : 'info';
      const text = typeof message === 'string' ? message : inspect(message, { depth: 1 });
      if (isClosed || count > LIMITS.logLinesPerAttempt) return;
      count++;
      if (count <= LIMITS.logLinesPerAttempt) push(kind, known, text);
      else push('note', 'warn', NOTES.truncated(LIMITS.logLinesPerAttempt));
    },
    /** Adds the entry that ends the attempt. Nothing can be added after it. */
    end(kind: LogKind, level: LogLevel, message: string | null): void {
      isClosed = true;
      push(kind, level, message);
    },
    /** Accepts no more entries, except that of `end`. */
    close(): void {
      isClosed = true;
    },
    isEmpty: (): boolean => lines.length === 0,
    /** Removes and returns the entries so far. */
    take(): LogLine[] {
      const taken = lines;
      lines = [];
      return taken;
    },
    /** Puts back entries that were taken and not written. */
    putBack,
    /** Puts back entries that were taken and may have been written, because the answer was lost. */
    putBackDoubtful(taken: LogLine[]): void {
      putBack(taken);
      isInDoubt = true;
    },
    /** This many of the taken entries are stored, or are no longer needed. */
    confirm(written: number): void {
      confirmed += written;
      isInDoubt = false;
    },
    /** The number of entries that are certainly stored. */
    confirmed: (): number => confirmed,
    /** Whether the next entries to be taken may already be stored. */
    isInDoubt: (): boolean => isInDoubt,
  };
}
