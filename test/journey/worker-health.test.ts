import { retryDeadlocks } from '@jobline/db';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createWorld,
  HANG_MS,
  OPERATOR,
  OPERATOR_HEADERS,
  startOwnRedis,
  until,
  type World,
} from '../harness/index.js';

let world: World;
beforeEach(async () => {
  world = await createWorld();
});
afterEach(() => world.end());

async function ask(port: number | null, path: string, method = 'GET'): Promise<{ status: number; text: string }> {
  const answer = await fetch(`http://127.0.0.1:${port}${path}`, { method });
  return { status: answer.status, text: await answer.text() };
}

it("a worker reports that it is alive and ready, and nothing else without the operator's credentials", async () => {
  const { healthPort } = await world.worker({ health: { WORKER_PORT: 0 } });

  expect(await ask(healthPort, '/healthz')).toEqual({ status: 200, text: '{"status":"alive"}' });
  await until('the worker to be ready', async () => (await ask(healthPort, '/readyz')).status === 200);
  expect(await ask(healthPort, '/readyz')).toEqual({ status: 200, text: '{"status":"ready"}' });
  expect((await ask(healthPort, '/readyz', 'POST')).status).toBe(405);
  for (const path of ['/metrics', '/', '/jobs']) expect((await ask(healthPort, path)).status).toBe(404);
});

it('a worker without a port for its health does not listen', async () => {
  expect((await world.worker()).healthPort).toBeNull();
});

it('a worker whose Redis is unreachable is not ready, says why, and is ready again afterwards', async () => {
  const redis = await startOwnRedis();
  const worker = await world.worker({ redisUrl: redis.url, health: { WORKER_PORT: 0 } });
  try {
    await until('the worker to be ready', async () => (await ask(worker.healthPort, '/readyz')).status === 200);

    await redis.server.kill();
    const answer = await until('the worker to notice', async () => {
      const { status, text } = await ask(worker.healthPort, '/readyz');
      return status === 503 && text;
    });
    expect(answer).toContain('Redis does not answer');
    expect((await ask(worker.healthPort, '/healthz')).status).toBe(200);

    await redis.server.start();
    await until('it to be ready again', async () => (await ask(worker.healthPort, '/readyz')).status === 200);
  } finally {
    await worker.stop();
    await redis.end();
  }
});

it('a worker that was declared dead is not ready until it has registered again', async () => {
  const worker = await world.worker({ leaseMs: 5_000, health: { WORKER_PORT: 0 } });
  const lost = new Promise((resolve) => worker.events.once('lease.lost', resolve));

  await world.db.worker.deleteMany();
  await lost;
  expect((await ask(worker.healthPort, '/readyz')).text).toContain('heartbeat');
  await until('the worker to be ready again', async () => (await ask(worker.healthPort, '/readyz')).status === 200);
});

it('a worker keeps its lease while every statement about jobs waits', async () => {
  const worker = await world.alone.worker({ leaseMs: 1_000 });
  let lostLeases = 0;
  worker.events.on('lease.lost', () => lostLeases++);
  const ids = new Set<string>();
  const beats = new Set<number>();

  // The tables are locked one after the other, while statements of the worker may hold a later one.
  await retryDeadlocks(() =>
    world.db.$transaction(
      async (tx) => {
        await tx.$executeRaw`LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE`;
        await until('the heartbeats of three leases', async () => {
          for (const { id, heartbeatAt } of await tx.worker.findMany()) {
            ids.add(id);
            beats.add(heartbeatAt.getTime());
          }
          return beats.size > 15;
        });
      },
      { timeout: HANG_MS },
    ),
  );

  expect([ids.size, lostLeases]).toEqual([1, 0]);
});

it('a worker refuses its metrics to a caller after ten wrong guesses, and never to the operator', async () => {
  const { healthPort } = await world.worker({ health: { WORKER_PORT: 0, ...OPERATOR } });
  const metrics = async (headers: Record<string, string>) => {
    const answer = await fetch(`http://127.0.0.1:${healthPort}/metrics`, { headers });
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') };
  };
  for (let n = 0; n < 20; n++) expect((await metrics({})).status).toBe(401); // not a guess

  const guess = (n: number) =>
    metrics({ authorization: `Basic ${Buffer.from(`${OPERATOR.OPERATOR_USER}:${n}`).toString('base64')}` });
  for (let n = 0; n < 10; n++) expect((await guess(n)).status).toBe(401);
  expect(await guess(10)).toEqual({ status: 429, retryAfter: '60' });
  expect((await metrics(OPERATOR_HEADERS)).status).toBe(200);
  expect((await ask(healthPort, '/healthz')).status).toBe(200);
});
