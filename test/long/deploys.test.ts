import { afterAll, beforeAll, expect, it } from 'vitest';
import { countFinished, switchAndRollBack } from '../chaos/deploy-traffic.js';
import { createWorld, register, type World } from '../harness/index.js';

let world: World;
beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

it('a blue/green switch and a rollback under 300 jobs a second lose and fail no job', async () => {
  const person = await register((await world.api()).call);
  const submitted = await switchAndRollBack(world, person, { perSecond: 300, phaseMs: 10_000 });
  expect(await countFinished(world)).toEqual({ 'done after 1 attempts, 0 retries': submitted });
});
