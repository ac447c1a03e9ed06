import { followLog } from '../processes/log-file.js';

/** More lines at a time are only in the file. */
const MAX_SHOWN = 4;
const MAX_LENGTH = 300;

/** Prints the warnings and errors of an app as they are written to its log. Returns a function that stops. */
export function showWarnings(name: string, file: string, warn: (line: string) => void): () => void {
  return followLog(file, (lines) => {
    const warnings = lines.flatMap((line) => toWarning(line) ?? []);
    for (const warning of warnings.slice(0, MAX_SHOWN)) warn(`${name} ${warning}`);
    if (warnings.length > MAX_SHOWN) warn(`${name} … and ${warnings.length - MAX_SHOWN} more in ${file}`);
  });
}

/** One readable line, or null if the line needs no attention. A line that is not of the logger comes from a crash. */
export function toWarning(line: string): string | null {
  const entry = parseEntry(line);
  if (!entry) return shorten(line);
  const { level, message, error, timestamp: _, app: __, ...fields } = entry;
  if (level !== 'warn' && level !== 'error') return null;
  const cause = isRecord(error) ? ` (${String(error.message)})` : '';
  const rest = Object.entries(fields).flatMap(([key, value]) => (isRecord(value) ? [] : [`${key}=${String(value)}`]));
  return shorten([`${level}: ${String(message)}${cause}`, ...rest].join(' '));
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && 'level' in value ? value : null;
  } catch {
    return null; // not JSON
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shorten(line: string): string | null {
  const text = line.trim().replace(/\s+/g, ' ');
  return text.length > MAX_LENGTH ? `${text.slice(0, MAX_LENGTH - 1)}…` : text || null;
}
