import {
  closeSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  truncateSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Makes room for a new run's log; the last run's is kept as `<file>.1`. */
export function beginLog(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  if (logSize(file) > 0) renameSync(file, `${file}.1`);
  return file;
}

export function logSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The end of what was written from the offset on, whole lines. */
export function tailOf(file: string, from = 0, limitBytes = 3_000): string {
  const size = logSize(file);
  const start = Math.max(from, size - limitBytes);
  const text = readPart(file, start, size);
  return start > from ? text.slice(text.indexOf('\n') + 1) : text;
}

export interface LogFollower {
  /** Gives what is left and ends. */
  stop(): void;
}

const POLL_MS = 250;
const READ_LIMIT_BYTES = 1 << 20;

/**
 * Gives the lines of a file, and those appended to it a few times a second. It never falls behind: of more than 1 MiB at a time the
 * oldest are left out. A file over `limitBytes` is cut off; its text is then in `<file>.1`.
 */
export function followLog(file: string, onLines: (lines: string[]) => void, limitBytes = 50 << 20): LogFollower {
  let offset = 0;
  let rest = '';
  const poll = () => {
    const size = logSize(file);
    if (size < offset) offset = 0;
    if (size === offset) return;
    const lines = (rest + readPart(file, Math.max(offset, size - READ_LIMIT_BYTES), size)).split('\n');
    rest = lines.pop() ?? '';
    offset = size;
    if (size > limitBytes) {
      copyFileSync(file, `${file}.1`);
      truncateSync(file); // its writer appends, so it goes on from the new start
      offset = 0;
    }
    if (lines.length > 0) onLines(lines);
  };
  poll();
  const timer = setInterval(poll, POLL_MS);
  return {
    stop() {
      clearInterval(timer);
      poll();
      if (rest !== '') onLines([rest]);
    },
  };
}

function readPart(file: string, start: number, end: number): string {
  if (end <= start) return '';
  const fd = openSync(file, 'r');
  try {
    const buffer = Buffer.alloc(end - start);
    return buffer.toString('utf8', 0, readSync(fd, buffer, 0, buffer.length, start));
  } finally {
    closeSync(fd);
  }
}
