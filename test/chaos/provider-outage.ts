import { createCatalogue, defineHandler } from '@jobline/handlers';
import { createWorld, type Person, register, until, type World } from '../harness/index.js';

interface Options {
  jobs: number;
  concurrency: number;
  probes: number;
}

/** What was seen of an outage. */
export interface Outage {
  /** Requests that arrived while the provider was down. */
  attempts: number;
  /** At most so many of them may be probes, by their times. */
  probes: number;
  /** From the end of the outage until all jobs were done. */
  afterMs: number;
}

export const AFTER = 3;
export const PROBE_SECONDS = 5;
const BATCH = 100;

/**
 * A provider is down for the time of `probes` while webhooks with three retries wait for it, of which `concurrency` may run at a time.
 * Meanwhile the jobs of another limit run. Throws unless all jobs are done in the end.
 */
export async function runOutage(options: Options): Promise<Outage> {
  const world = await createWorld();
  try {
    return await runIn(world, options);
  } finally {
    await world.end();
  }
}

async function runIn(world: World, { jobs, concurrency, probes }: Options): Promise<Outage> {
  let state: 'up' | 'down' | 'up again' = 'up';
  const failed: number[] = [];
  let succeeded = 0;
  const receiver = await world.receiver((_, n) => {
    if (state === 'up' && n > jobs / 10) state = 'down';
    if (state === 'down') failed.push(performance.now());
    else succeeded++;
    return { status: state === 'down' ? 503 : 200 };
  });
  const person = await register((await world.api()).call);
  const other = defineHandler({ type: 'other', run: async () => undefined });
  for (let n = 0; n < 2; n++)
    await world.worker({
      catalogue: createCatalogue([...createCatalogue().values(), other]),
      allowHosts: [receiver.host],
      concurrency: 50,
    });
  await person.put('/org/limits/provider', {
    types: ['webhook'],
    concurrency,
    hold: { after: AFTER, probe_seconds: PROBE_SECONDS },
  });
  await person.put('/org/limits/other', { types: ['other'], concurrency: 1, hold: { after: 1, probe_seconds: 3_600 } });

  await submit(person, jobs, () => ({ type: 'webhook', payload: { url: receiver.url, payload: {} }, max_retries: 3 }));
  await until('the provider to be down', () => state === 'down');
  const passed = () => Math.floor((performance.now() - (failed[0] ?? 0)) / (PROBE_SECONDS * 1_000));
  for (let n = 1; n <= probes; n++) {
    await submit(person, 10, () => ({ type: 'other', payload: {} }));
    await untilDone(world, 'other', 10 * n);
    await until('the time of the next probe', () => passed() >= n);
  }
  const attempts = failed.length;
  const most = passed();
  state = 'up again';
  const upAt = performance.now();
  await until('all jobs to reach the provider', () => succeeded >= jobs);
  await untilDone(world, 'webhook', jobs);
  return { attempts, probes: most, afterMs: performance.now() - upAt };
}

async function submit(person: Person, count: number, job: () => object): Promise<void> {
  for (let left = count; left > 0; left -= BATCH) {
    const answer = await person.post('/jobs/batch', { jobs: Array.from({ length: Math.min(left, BATCH) }, job) });
    if (answer.status !== 202) throw new Error(answer.text);
  }
}

async function untilDone({ db }: World, type: string, count: number): Promise<void> {
  await until(`${count} jobs to be done`, async () => {
    const states = await db.job.groupBy({ by: ['status'], where: { type }, _count: true });
    const of = (status: string) => states.find((state) => state.status === status)?._count ?? 0;
    if (of('failed') > 0) throw new Error(JSON.stringify(states));
    return of('done') === count;
  });
}
