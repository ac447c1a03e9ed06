export interface TimelineEntry {
  attempt: number;
  message: string;
  level: string;
  timestamp: string;
}

/** A job's log as a person reads it: the time since its submission, the attempt, the level where it matters, the words. */
export function formatTimeline(createdAt: string, entries: readonly TimelineEntry[]): string[] {
  const start = Date.parse(createdAt);
  const rows = entries.map((entry) => ({
    time: `+${((Date.parse(entry.timestamp) - start) / 1000).toFixed(3)} s`,
    attempt: `attempt ${entry.attempt}`,
    level: entry.level,
    message: entry.message,
  }));
  const width = (pick: (row: (typeof rows)[number]) => string) => Math.max(0, ...rows.map((row) => pick(row).length));
  const [time, attempt, level] = [width((r) => r.time), width((r) => r.attempt), width((r) => r.level)];
  return rows.map((row) =>
    [row.time.padStart(time), row.attempt.padEnd(attempt), row.level.padEnd(level), row.message].join('  '),
  );
}

/** Reads the answer of GET /jobs/{id}/logs. */
export function parseLog(body: unknown): TimelineEntry[] {
  if (!Array.isArray(body)) throw new Error('the log is not a list');
  return body.map((entry: Partial<TimelineEntry>) => ({
    attempt: Number(entry.attempt),
    message: String(entry.message),
    level: String(entry.level),
    timestamp: String(entry.timestamp),
  }));
}
