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

/** Begins an empty log file. The log of the previous run is kept as `<file>.1`. */
export function beginLog(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  if (logSize(file) > 0) renameSync(file, `${file}.1`);
  return file;
}

export function logSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

const TAIL_BYTES = 3_000;

/** The whole lines at the end of what was written after the offset. */
export function tailOf(file: string, from = 0): string {
  const size = logSize(file);
  const start = Math.max(from, size - TAIL_BYTES);
  const text = readPart(file, start, size);
  return start > from ? text.slice(text.indexOf('\n') + 1) : text;
}

const POLL_MS = 1_000;
/** If more is written between two polls, the oldest lines are left out. */
const READ_LIMIT_BYTES = 1 << 20;
const FILE_LIMIT_BYTES = 50 << 20;

/**
 * Passes on the lines of a file, now and as more are appended. A file over 50 MiB is emptied; its text is then in
 * `<file>.1`. Returns a function that passes on the remaining lines and stops.
 */
export function followLog(file: string, onLines: (lines: string[]) => void): () => void {
  let offset = 0;
  let rest = '';
  const poll = () => {
    const size = logSize(file);
    if (size === offset) return;
    const lines = (rest + readPart(file, Math.max(offset, size - READ_LIMIT_BYTES), size)).split('\n');
    rest = lines.pop() ?? '';
    offset = size;
    if (size > FILE_LIMIT_BYTES) {
      copyFileSync(file, `${file}.1`);
      truncateSync(file); // the writer appends, so it continues at the new start
      offset = 0;
    }
    onLines(lines);
  };
  poll();
  const timer = setInterval(poll, POLL_MS);
  return () => {
    clearInterval(timer);
    poll();
    onLines([rest]);
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
