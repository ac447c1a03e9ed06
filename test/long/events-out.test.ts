import { createCatalogue, defineHandler } from '@jobline/handlers';
import { afterEach, describe, expect, it } from 'vitest';
import { expectEveryEnd } from '../chaos/event-faults.js';
import { createFaultyPlace } from '../chaos/limit-faults.js';
import { createWorld, type Person, type Received, type Reply, register, submitJob, until } from '../harness/index.js';

/** A shorter form: JOBS=2000. The shortest one is in test/chaos/events-out.test.ts. */
const JOBS = Number(process.env.JOBS ?? 20_000);
const MEASURED = 300;
const SUBMIT_EVERY_MS = 25;

const ends: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

it('under faults the end of every job is reported', async () => {
  const place = await createFaultyPlace(2, 5, 1);
  ends.push(place.end);

  const startedAt = performance.now();
  const { calls } = await expectEveryEnd(place, JOBS, JOBS / 8);

  const seconds = Math.round((performance.now() - startedAt) / 1_000);
  console.log(`${JOBS} jobs in ${seconds} s: each end reported, by ${calls} calls`);
});

describe('webhooks that do not answer', () => {
  const noop = defineHandler({ type: 'noop', run: async () => ({ ok: true }) });

  it('the delay of a healthy one is measured alone, and together with one that hangs and one that fails', async () => {
    const world = await createWorld();
    ends.push(() => world.end());
    const api = await world.api();
    const person = await register(api.call);
    const receiver = await world.receiver(({ path }) => replyAt(path));
    await world.worker({ catalogue: createCatalogue([noop]), queues: ['io', 'events'], allowHosts: [receiver.host] });
    const add = (path: string) => person.post('/org/webhooks', { url: receiver.url + path, events: ['job.done'] });
    await add('/healthy');
    const delaysOf = async () => {
      receiver.received.length = 0;
      await submitMany(person);
      const arrived = () => receiver.received.filter(({ path }) => path === '/healthy');
      await until('all to arrive', () => arrived().length >= MEASURED);
      return delays(arrived());
    };

    const alone = await delaysOf();
    await add('/hangs');
    await add('/fails');
    const together = await delaysOf();

    expect(receiver.received.filter(({ path }) => path === '/hangs').length).toBeGreaterThan(0);
    const percentiles = (times: number[]) =>
      [0.5, 0.99, 1].map((part) => times[Math.ceil(times.length * part) - 1]).join(', ');
    console.log(
      `from the end of a job to its event, p50, p99 and highest: ${percentiles(alone)} ms; together with an address that hangs and ` +
        `one that fails: ${percentiles(together)} ms`,
    );
  });
});

/** The one that hangs answers after the time limit of a delivery. */
function replyAt(path: string): Reply {
  if (path === '/hangs') return { delayMs: 20_000 };
  return { status: path === '/fails' ? 500 : 200 };
}

async function submitMany(person: Person): Promise<void> {
  for (let n = 0; n < MEASURED; n++) {
    await submitJob(person, 'noop', {});
    await new Promise((resolve) => setTimeout(resolve, SUBMIT_EVERY_MS));
  }
}

/** The times between the ends of jobs and the arrivals of their events, in ms, in ascending order. */
function delays(received: readonly Received[]): number[] {
  const times = received.map(({ at, text }) => at - Date.parse(JSON.parse(text).timestamp));
  return times.sort((one, other) => one - other);
}
