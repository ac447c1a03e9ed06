import { createDb } from '@jobline/db';
import { createEvents, watchBacklog } from '@jobline/engine';
import { QUEUES } from '@jobline/handlers';
import { createMetrics } from '@jobline/runtime';
import { afterAll, beforeAll, it } from 'vitest';
import { adminUrl, createWorld, figureOf, HANG_MS, readExposition, until, type World } from '../harness/index.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

/** Has a transaction write in another database of the same server, until it is let go. */
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
  await until('it to write', () => isWriting);
  return async () => {
    letGo();
    await ended;
    await db.$disconnect();
  };
}

it("a figure says for how long one transaction holds back organizations' events, whichever database it writes in", async () => {
  const metrics = createMetrics();
  const shared = { hot: world.hot, events: createEvents(), metrics, queues: QUEUES, leaseMs: 15_000 };
  watchBacklog({ ...shared, freshForMs: 0 });
  const heldBackS = async () =>
    figureOf(readExposition(await metrics.text()), 'jobline_events_held_back_seconds') ?? Number.NaN;

  const letGo = await holdWriter();
  const first = await until('the figure to rise', heldBackS);
  await until('it to rise on', async () => (await heldBackS()) > first);

  await letGo();
  await until('it to fall', async () => (await heldBackS()) < first);
});
