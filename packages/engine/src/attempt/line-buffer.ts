import { inspect } from 'node:util';
import { LIMITS, LOG_LEVELS, type LogKind, type LogLevel } from '@jobline/contracts';
import type { LogLine } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { NOTES, storableText } from '../reporting/job-log.js';

/** The log entries of one attempt that are not in Postgres yet. */
export interface LineBuffer {
  /** Adds an entry of the handler, or an entry of the engine about the attempt, up to the limits of an attempt. */
  write(level: LogLevel, message: string, kind?: 'log' | 'note' | 'canceled'): void;
  /** Adds the entry that ends the attempt. Nothing can be added after it. */
  end(kind: LogKind, level: LogLevel, message: string | null): void;
  /** Accepts no more entries, except that of `end`. */
  close(): void;
  isEmpty(): boolean;
  /** Removes and returns the entries so far. */
  take(): LogLine[];
  /** Puts back entries that were taken and not written. */
  putBack(lines: LogLine[]): void;
  /** Puts back entries that were taken and may have been written, because the answer was lost. */
  putBackDoubtful(lines: LogLine[]): void;
  /** This many of the taken entries are stored, or are no longer needed. */
  confirm(count: number): void;
  /** The number of entries that are certainly stored. */
  confirmed(): number;
  /** Whether the next entries to be taken may already be stored. */
  isInDoubt(): boolean;
}

/**
 * Each entry gets the start of the attempt by the database plus the monotonic time since then. So the order and the
 * times of the entries agree, whatever the clock of this machine shows.
 */
export function createLineBuffer(startedAt: Date): LineBuffer {
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
    write(level, message, kind = 'log') {
      // A handler written in JavaScript may pass any value.
      const known = LOG_LEVELS.includes(level) ? level : 'info';
      const text = typeof message === 'string' ? message : inspect(message, { depth: 1 });
      if (isClosed || count > LIMITS.logLinesPerAttempt) return;
      count++;
      if (count <= LIMITS.logLinesPerAttempt) push(kind, known, text);
      else push('note', 'warn', NOTES.truncated(LIMITS.logLinesPerAttempt));
    },
    end(kind, level, message) {
      isClosed = true;
      push(kind, level, message);
    },
    close() {
      isClosed = true;
    },
    isEmpty: () => lines.length === 0,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
    putBack,
    putBackDoubtful(taken) {
      putBack(taken);
      isInDoubt = true;
    },
    confirm(written) {
      confirmed += written;
      isInDoubt = false;
    },
    confirmed: () => confirmed,
    isInDoubt: () => isInDoubt,
  };
}
