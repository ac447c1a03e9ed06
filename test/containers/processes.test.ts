import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { createCall, createWorld, type Person, register, type World } from '../harness/index.js';
import { expectAllowed, untilAccepted, untilDone } from './checks.js';
import { type FakeProviders, startFakeProviders } from './fake-providers.js';
import { runEveryType } from './journey.js';
import { startLoad } from './load.js';
import { type App, imageSettings, startApps } from './processes.js';
import { operatorSettings } from './settings.js';

// The short form of test/long/containers.test.ts, without podman: each container of the apps is a process.
describe('the apps of the Compose file', () => {
  let world: World;
  let providers: FakeProviders;
  let apps: App[];
  let person: Person;

  beforeAll(async () => {
    world = await createWorld();
    providers = await startFakeProviders('127.0.0.1');
    const servers = { DATABASE_URL: world.databaseUrl, REDIS_URL: world.redisUrl, QUEUE_PREFIX: world.prefix };
    apps = await startApps(operatorSettings(providers), servers);
    person = await register(createCall(urls()[0] ?? ''));
  });
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.stop()));
    await providers.close();
    await world.end();
  });

  const urls = () => apps.flatMap((app) => app.url() ?? []);

  it('run a job of each type', () => runEveryType(person, providers));

  it('lose no job while each is killed under load, and callers see at most a 503 with Retry-After', async () => {
    expect(apps.map(({ name }) => name)).toEqual(['api-1', 'api-2', 'worker-1', 'worker-2', 'worker-browser-1']);
    const bodyOf = (n: number) => ({ type: 'webhook', payload: { url: `${providers.hooks.url}/${n}`, payload: {} } });
    let request = 0;
    const baseUrl = async () => urls()[request++ % urls().length] ?? '';
    const load = startLoad({ baseUrl, token: person.token, path: '/jobs', bodyOf, callers: 2 });
    for (const app of apps) {
      await untilAccepted(load, load.accepted.length + 10);
      await app.killAndStart();
    }
    await untilAccepted(load, load.accepted.length + 10);
    await load.stop();

    // No proxy repeats a request whose API is down.
    expectAllowed(load, { mayDisconnect: true });
    await untilDone(urls()[0] ?? '', person.token, load.accepted);
  });
});

test('the settings of an image are those of its stage and of the stages that it begins with', () => {
  const dockerfile = 'FROM node AS one\nENV A=1 B=2\nFROM one AS two\nRUN x\nENV B=3\nFROM node\nENV C=4\n';

  expect(imageSettings(dockerfile, 'one')).toEqual({ A: '1', B: '2' });
  expect(imageSettings(dockerfile, 'two')).toEqual({ A: '1', B: '3' });
  expect(imageSettings(dockerfile)).toEqual({ C: '4' });
  expect(() => imageSettings(dockerfile, 'three')).toThrow('the Dockerfile has no stage three');
});
