import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

const TAIL_LENGTH = 3_000;

/** Begins an empty log file. The log of the previous run is kept as `<file>.1`. */
export function beginLog(file: string): string {
  mkdirSync(dirname(file), { recursive: true });
  if (logSize(file) > 0) renameSync(file, `${file}.1`);
  return file;
}

export function logSize(file: string): number {
  return existsSync(file) ? statSync(file).size : 0;
}

/** The end of what was written after the offset. */
export function tailOf(file: string, from = 0): string {
  if (!existsSync(file)) return '';
  return readFileSync(file).subarray(from).subarray(-TAIL_LENGTH).toString().trimEnd();
}
