import { parseArgs } from 'node:util';
import pg from 'pg';
import { type Services, startServices } from '../services.js';
import { quantile } from '../statistics.js';
import { startJoblineApi } from '../systems/jobline-api.js';
import { fill } from './fill.js';
import { requestsOf, type Shape } from './requests.js';

const TARGET_P95_MS = 50;
const say = (what: string) => void process.stderr.write(`${what}\n`);

/**
 * `npm run bench:list`. Sends the requests of the dashboard's list page over HTTP, one after the other, and prints
 * their times. Resolves with the exit code: 1 if a p95 is over the target.
 */
export async function benchList(argv: string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv,
    options: { jobs: { type: 'string', default: '1000000' }, requests: { type: 'string', default: '200' } },
  });
  const jobs = Number(values.jobs);
  say('starting Postgres and Redis');
  const services = await startServices();
  process.once('SIGINT', () => void services.stop().finally(() => process.exit(130)));
  try {
    const rows = await measure(services, jobs, Number(values.requests));
    console.log(table(jobs, rows));
    return rows.every(({ p95 }) => p95 <= TARGET_P95_MS) ? 0 : 1;
  } finally {
    await services.stop();
  }
}

interface Row {
  what: string;
  /** Time of the first request, without caches. For the statistics, it includes the count. */
  first: number;
  p50: number;
  p95: number;
  max: number;
}

async function measure(services: Services, jobs: number, times: number): Promise<Row[]> {
  const api = await startJoblineApi(services, 'bench_list');
  const client = new pg.Client({ connectionString: api.databaseUrl });
  await client.connect();
  try {
    say(`writing ${jobs.toLocaleString('en')} jobs`);
    await fill(client, api.orgId, jobs);
    const rows: Row[] = [];
    for (const shape of await requestsOf(client, api.orgId)) {
      say(`requesting ${times} times: ${shape.what}`);
      rows.push({ what: shape.what, ...(await ask(api, shape, times)) });
    }
    return rows;
  } finally {
    await client.end();
    await api.stop();
  }
}

async function ask(api: { url: string; token: string }, { path }: Shape, times: number): Promise<Omit<Row, 'what'>> {
  const tookMs: number[] = [];
  for (let i = 0; i < times; i++) {
    const startedAt = performance.now();
    const response = await fetch(api.url + path, { headers: { Authorization: `Bearer ${api.token}` } });
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path}: ${response.status}`);
    tookMs.push(performance.now() - startedAt);
  }
  return {
    first: tookMs[0] ?? Number.NaN,
    p50: quantile(tookMs, 0.5),
    p95: quantile(tookMs, 0.95),
    max: Math.max(...tookMs),
  };
}

function table(jobs: number, rows: readonly Row[]): string {
  const ms = (value: number) => value.toFixed(1).padStart(8);
  const width = Math.max(...rows.map(({ what }) => what.length));
  return [
    `${jobs.toLocaleString('en')} jobs in the database, half of them finished in the last 24 hours; ms, target p95 ${TARGET_P95_MS}`,
    `${''.padEnd(width)} ${['first', 'p50', 'p95', 'max'].map((name) => name.padStart(8)).join(' ')}`,
    ...rows.map(
      ({ what, first, p50, p95, max }) => `${what.padEnd(width)} ${ms(first)} ${ms(p50)} ${ms(p95)} ${ms(max)}`,
    ),
  ].join('\n');
}
