import { followLog, type LogFollower } from '../processes/log-file.js';

/** More than so many lines in so long a time are left to the file. */
const SHOWN_LINES = 12;
const SHOWN_WINDOW_MS = 10_000;

/** Shows an app's warnings and errors at the terminal. All that it writes is in its log file. */
export function showTroubles(name: string, file: string, complain: (line: string) => void): LogFollower {
  let windowStart = 0;
  let shown = 0;
  return followLog(file, (lines) => {
    for (const trouble of lines.flatMap((line) => toTrouble(line) ?? [])) {
      if (performance.now() - windowStart > SHOWN_WINDOW_MS) {
        windowStart = performance.now();
        shown = 0;
      }
      shown++;
      if (shown <= SHOWN_LINES) complain(`${name} ${trouble}`);
      if (shown === SHOWN_LINES) complain(`${name} … there may be more in ${file}`);
    }
  });
}

/** One readable line, or null where there is nothing to worry about. What is not a log line is a crash's last words. */
export function toTrouble(line: string): string | null {
  if (line.trim() === '' || /"level":"(info|debug)"/.test(line)) return null;
  const entry = parseEntry(line);
  if (!entry) return short(line);
  const { level, message, error, timestamp: _, app: __, ...fields } = entry;
  if (level !== 'warn' && level !== 'error') return null;
  const cause = isRecord(error) ? ` (${String(error.message)})` : '';
  const rest = Object.entries(fields).flatMap(([key, value]) => (isRecord(value) ? [] : [`${key}=${String(value)}`]));
  return short([`${level}: ${String(message)}${cause}`, ...rest].join(' '));
}

function parseEntry(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) && 'level' in value ? value : null;
  } catch {
    return null; // not JSON, which is an answer
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function short(words: string): string {
  const text = words.trim().replace(/\s+/g, ' ');
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
