import { createDb } from '@jobline/db';
import { createEvents, watchBacklog } from '@jobline/engine';
import { QUEUES } from '@jobline/handlers';
import { createMetrics } from '@jobline/runtime';
import { afterAll, beforeAll, it } from 'vitest';
import { adminUrl, createWorld, HANG_MS, readExposition, sampleOf, until, type World } from '../harness/index.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** Makes a transaction write in another database of the same server; it ends when the returned function is called. */
async function holdWriter(): Promise<() => Promise<void>> {
  const db = createDb({ url: adminUrl(), poolSize: 1, onIdleError: () => undefined });
  let letGo: () => void = () => undefined;
  const isLetGo = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  let isWriting = false;
  const ended = db.$transaction(
    async (tx) => {
      await tx.$queryRaw`SELECT pg_current_xact_id()::text`;
      isWriting = true;
      await isLetGo;
    },
    { timeout: HANG_MS },
  );
  await until('the transaction to write', () => isWriting);
  return async () => {
    letGo();
    await ended;
    await db.$disconnect();
  };
}

it("a metric shows for how long one transaction delays organizations' events, in whichever database it writes", async () => {
  const metrics = createMetrics();
  const shared = { hot: world.hot, events: createEvents(), metrics, queues: QUEUES, leaseMs: 15_000 };
  watchBacklog({ ...shared, freshForMs: 0 });
  async function heldBackS(): Promise<number> {
    // Only events of transactions that are newer than the open one are delayed.
    await world.db.$queryRaw`SELECT pg_current_xact_id()::text`;
    return sampleOf(readExposition(await metrics.text()), 'jobline_events_held_back_seconds') ?? Number.NaN;
  }

  const letGo = await holdWriter();
  const first = await until('the metric to rise', heldBackS);
  await until('the metric to rise further', async () => (await heldBackS()) > first);

  await letGo();
  await until('the metric to fall', async () => (await heldBackS()) < first);
});
