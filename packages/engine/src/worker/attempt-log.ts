import { inspect } from 'node:util';
import { LIMITS, LOG_LEVELS, type LogKind, type LogLevel } from '@jobline/contracts';
import type { LogLine } from '@jobline/db/job-transitions';
import { elapsedMs } from '@jobline/runtime';
import { NOTES } from '../job-log.js';
import { storableText } from '../text.js';

/** The entries of one attempt that are not in Postgres yet. */
export interface AttemptLog {
  /** Adds an entry of the handler, or one of the engine about the attempt, up to the limits of an attempt. */
  write(level: LogLevel, message: string, kind?: 'log' | 'note' | 'canceled'): void;
  /** Adds the entry that ends the attempt. Nothing can be written after it. */
  end(kind: LogKind, level: LogLevel, message: string | null): void;
  /** Hands over the lines so far. */
  take(): LogLine[];
  /** Puts back what was taken and was not written. */
  giveBack(lines: LogLine[]): void;
  /** Puts back what was taken and perhaps written: the answer was lost. */
  doubt(lines: LogLine[]): void;
  /** So many of the lines taken are in Postgres, or are no longer wanted there. */
  confirm(count: number): void;
  /** How many lines are in Postgres for certain. */
  confirmed(): number;
  /** Whether the next lines to be taken may be there, too. */
  isInDoubt(): boolean;
}

/**
 * Lines get the attempt's start by the database plus the monotonic time since, so that their order and their times
 * agree whatever this machine's clock says.
 */
export function createAttemptLog(startedAt: Date): AttemptLog {
  const openedAt = performance.now();
  let lines: LogLine[] = [];
  let count = 0;
  let hasEnded = false;
  let confirmed = 0;
  let isInDoubt = false;

  function push(kind: LogKind, level: LogLevel, message: string | null): void {
    const at = new Date(startedAt.getTime() + Math.floor(elapsedMs(openedAt)));
    lines.push({ kind, level, message: message && storableText(message, LIMITS.logLineBytes), at });
  }

  function giveBack(taken: LogLine[]): void {
    lines = [...taken, ...lines];
  }

  return {
    write(level, message, kind = 'log') {
      // A handler written in JavaScript may say anything.
      const known = LOG_LEVELS.includes(level) ? level : 'info';
      const text = typeof message === 'string' ? message : inspect(message, { depth: 1 });
      if (hasEnded || count > LIMITS.logLinesPerAttempt) return;
      count++;
      if (count <= LIMITS.logLinesPerAttempt) push(kind, known, text);
      else push('note', 'warn', NOTES.cut(LIMITS.logLinesPerAttempt));
    },
    end(kind, level, message) {
      hasEnded = true;
      push(kind, level, message);
    },
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
    giveBack,
    doubt(taken) {
      giveBack(taken);
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
