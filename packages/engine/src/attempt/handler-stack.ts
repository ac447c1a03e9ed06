import { fileURLToPath } from 'node:url';
import { storableText } from '../reporting/job-log.js';

const MAX_STACK_BYTES = 4 * 1024;
/** A longer text is not searched for frames. */
const MAX_READ_LENGTH = 64 * 1024;
/** The folders of Jobline's own code, as frames name them. */
const JOBLINE = ['packages/', 'apps/'].flatMap((folder) => {
  const url = new URL(`../../../../${folder}`, import.meta.url);
  return [url.href, fileURLToPath(url)];
});

/**
 * The stack of an error that a custom handler threw: its first 4 KiB, without the frames of Jobline itself, which do not help its author.
 * Null: the thrown value has none. Never throws.
 */
export function stackOf(thrown: unknown): string | null {
  try {
    const stack = thrown instanceof Error ? thrown.stack : null;
    // A handler can set the property to any value.
    if (typeof stack !== 'string' || stack === '') return null;
    const lines = stack.slice(0, MAX_READ_LENGTH).split('\n');
    return storableText(lines.filter((line) => !isOfJobline(line)).join('\n'), MAX_STACK_BYTES);
  } catch {
    return null;
  }
}

function isOfJobline(line: string): boolean {
  return /^ {4}at /.test(line) && JOBLINE.some((folder) => line.includes(folder));
}
