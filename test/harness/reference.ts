import { performance as nodePerformance } from 'node:perf_hooks';

/** What a request costs. */
export interface Cost {
  /** The time of its statements in Postgres, also of those that follow its response. */
  sqlMs: number;
  /** How long it kept the event loop of the API busy until its response was sent. */
  loopMs: number;
}

/** What `measureReference` returns on a calm machine with two processors. */
export const CALM: Cost = { sqlMs: 19, loopMs: 12.5 };

/** What a fixed statement and a fixed loop cost on this machine now. */
export async function measureReference(query: (sql: string) => Promise<unknown>): Promise<Cost> {
  const sqlAt = performance.now();
  await query('SELECT count(*), max(md5(n::text)) FROM generate_series(1, 50000) AS n');
  const sqlMs = performance.now() - sqlAt;
  // A turn of the loop, whose time counts as that of a request does.
  await new Promise(setImmediate);
  const busy = startBusy();
  referenceLoop();
  await new Promise(setImmediate);
  return { sqlMs, loopMs: busy() };
}

/** The lower of each time. */
export function lowest(a: Cost, b: Cost): Cost {
  return { sqlMs: Math.min(a.sqlMs, b.sqlMs), loopMs: Math.min(a.loopMs, b.loopMs) };
}

/**
 * Returns a function that returns for how long the event loop has been busy. Time in which the process had no processor, because the
 * machine is busy, does not count.
 */
export function startBusy(): () => number {
  const before = nodePerformance.eventLoopUtilization();
  const used = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(used);
    return Math.min(nodePerformance.eventLoopUtilization(before).active, (user + system) / 1_000);
  };
}

const ROWS = Array.from({ length: 2_000 }, (_, n) => ({ id: `job-${n}`, at: new Date(n), tags: ['a', 'b'], n }));

/** What an API does most: it writes and reads JSON. */
function referenceLoop(): void {
  for (let n = 0; n < 5; n++) JSON.parse(JSON.stringify(ROWS));
}
