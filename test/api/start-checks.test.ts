import { checkStart } from '@jobline/engine';
import { chromiumProblem } from '@jobline/providers';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, openRedis, startOwnRedis, until, type World } from '../harness/index.js';
import { expectError, keepingLogger, type LogLine } from './support.js';

let world: World;

beforeAll(async () => {
  world = await createWorld();
});
afterAll(() => world.end());

const said = (lines: LogLine[], text: string) => lines.filter(({ message }) => message.includes(text));

/** Marks the latest migration as not applied. `restore` marks it as applied again. */
async function forgetMigration(): Promise<{ name: string; restore(): Promise<void> }> {
  const [{ name } = { name: '' }] = await world.db.$queryRaw<{ name: string }[]>`
    UPDATE _prisma_migrations SET rolled_back_at = now()
    WHERE migration_name = (SELECT max(migration_name) FROM _prisma_migrations) RETURNING migration_name AS name`;
  return {
    name,
    async restore() {
      await world.db.$executeRaw`UPDATE _prisma_migrations SET rolled_back_at = NULL`;
    },
  };
}

describe('the checks at the start', () => {
  it('warn once about a Redis that evicts entries and does not persist, and leave no connection open', async () => {
    const redis = await startOwnRedis({ 'maxmemory-policy': 'allkeys-lru', save: '' });
    const { log, lines } = keepingLogger();

    const checks = checkStart({ databaseUrl: world.databaseUrl, redisUrl: redis.url, prefix: world.prefix, log });
    await until('two warnings', () => lines.length >= 2);
    await checks.stop();

    expect(said(lines, 'maxmemory-policy allkeys-lru): set it to noeviction')).toHaveLength(1);
    expect(said(lines, 'set appendonly yes')).toHaveLength(1);
    expect(lines.map(({ level }) => level)).toEqual(['warn', 'warn']);
    const client = new Redis(redis.url);
    expect(
      String(await client.client('LIST'))
        .trim()
        .split('\n'),
    ).toHaveLength(1);
    client.disconnect();
    await redis.end();
  });

  it('do not warn about a Redis that forbids the inspection', async () => {
    const redis = await startOwnRedis({ 'maxmemory-policy': 'allkeys-lru', save: '' });
    const client = new Redis(redis.url);
    await client.call('ACL', 'SETUSER', 'app', 'on', '>pw', '~*', '+@all', '-info', '-config');
    const { log, lines } = keepingLogger();

    const checks = checkStart({
      databaseUrl: world.databaseUrl,
      redisUrl: redis.url.replace('redis://', 'redis://app:pw@'),
      prefix: world.prefix,
      log,
    });
    await until('the connection to be opened and closed', async () => {
      const log = String(await client.info('stats'));
      const [, connections] = /total_connections_received:(\d+)/.exec(log) ?? [];
      return (
        Number(connections) >= 2 &&
        String(await client.client('LIST'))
          .trim()
          .split('\n').length === 1
      );
    });
    await checks.stop();

    expect(lines.filter(({ level }) => level !== 'debug')).toEqual([]);
    client.disconnect();
    await redis.end();
  });

  it('wait for Postgres and Redis, and can be stopped meanwhile', async () => {
    const { log, lines } = keepingLogger();
    const checks = checkStart({
      databaseUrl: 'postgresql://u@127.0.0.1:1/x',
      redisUrl: 'redis://127.0.0.1:1',
      prefix: world.prefix,
      log,
    });
    await until('the first check of Postgres', () => lines.length > 0);

    await checks.stop();

    expect(new Set(lines.map(({ level }) => level))).toEqual(new Set(['debug']));
  });

  it('name the missing migration of the database, and so does /readyz until it is applied', async () => {
    const { name, restore } = await forgetMigration();
    const { log, lines } = keepingLogger();
    const api = await world.api();

    const checks = checkStart({ databaseUrl: world.databaseUrl, redisUrl: world.redisUrl, prefix: world.prefix, log });
    await until('the warning in the log', () => said(lines, `lacks the migration ${name}: run`).length === 1);
    const answer = await api.call('GET', '/readyz');
    expectError(answer, 503, 'unavailable');
    expect(answer.body.error.message).toContain(name);

    await restore();
    await until('the service to be ready', async () => (await api.call('GET', '/readyz')).status === 200);
    await until('the all-clear in the log', () => said(lines, 'has all migrations now').length === 1);
    await checks.stop();
    expect(said(lines, 'lacks the migration').map(({ level }) => level)).toEqual(['error']);
  });

  it('name another installation with the same queues, and so does /readyz of both apps', async () => {
    const other = await createWorld();
    await other.db.$executeRaw`UPDATE installation SET id = gen_random_uuid()`;
    const place = { redisUrl: world.redisUrl, prefix: world.prefix };
    const first = await world.api();
    const redis = openRedis(world.redisUrl);
    await until('the claim of the queues', async () => {
      await first.call('GET', '/readyz');
      return redis.exists(`${world.prefix}:installation`);
    });
    const { log, lines } = keepingLogger();

    const second = await other.api(place);
    const worker = await other.worker({ ...place, health: { WORKER_PORT: 0 } });
    const checks = checkStart({ databaseUrl: other.databaseUrl, ...place, log });
    await until('the warning in the log', () => said(lines, 'another installation').length === 1);
    await checks.stop();
    expect(said(lines, `set a QUEUE_PREFIX other than "${world.prefix}"`).map(({ level }) => level)).toEqual(['error']);
    const refused = await second.call('GET', '/readyz');
    expectError(refused, 503, 'unavailable');
    expect(refused.body.error.message).toContain('another installation');
    const health = await fetch(`http://127.0.0.1:${worker.healthPort}/readyz`);
    expect([health.status, await health.text()]).toEqual([503, expect.stringContaining('another installation')]);
    expect((await first.call('GET', '/readyz')).status).toBe(200);

    await redis.set(`${world.prefix}:installation`, (await other.db.installation.findFirstOrThrow()).id);
    await until('the second API to be ready', async () => (await second.call('GET', '/readyz')).status === 200);
    await until('the first API not to be ready', async () => (await first.call('GET', '/readyz')).status === 503);
    await other.end();
    await redis.del(`${world.prefix}:installation`);
    redis.disconnect();
  });

  it('accept a database of a newer version, but not one with a failed migration', async () => {
    const add = (name: string, finished: Date | null) => world.db.$executeRaw`
      INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES (${name}, 'x', ${name}, ${finished})`;
    await add('29990101000000_newer', new Date());
    expect((await (await world.api()).call('GET', '/readyz')).status).toBe(200);

    await add('29990101000001_failed', null);
    const answer = await (await world.api()).call('GET', '/readyz');
    expect(answer.body.error.message).toContain('29990101000001_failed is recorded as failed');
    await world.db.$executeRaw`DELETE FROM _prisma_migrations WHERE migration_name LIKE '2999%'`;
  });

  it('name the time zone of connections that are not in UTC, such as behind a pooler that drops options', async () => {
    const { log, lines } = keepingLogger();
    const url = new URL(world.databaseUrl);
    url.searchParams.set('options', '-c TimeZone=Africa/Nairobi'); // replaces what the apps request

    const checks = checkStart({ databaseUrl: url.href, redisUrl: world.redisUrl, prefix: world.prefix, log });
    await until('the warning in the log', () => said(lines, 'time zone Africa/Nairobi').length === 1);
    await checks.stop();

    expect(said(lines, 'Africa/Nairobi').map(({ level }) => level)).toEqual(['error']);
  });

  it('name the setting that ends silent transactions if the connections lack it', async () => {
    const { log, lines } = keepingLogger();
    const url = new URL(world.databaseUrl);
    url.searchParams.set('options', '-c TimeZone=UTC'); // replaces what the apps request

    const checks = checkStart({ databaseUrl: url.href, redisUrl: world.redisUrl, prefix: world.prefix, log });
    await until('the error in the log', () => said(lines, 'idle_in_transaction_session_timeout').length === 1);
    await checks.stop();

    const [line] = said(lines, 'idle_in_transaction_session_timeout');
    expect(line).toMatchObject({ level: 'error', message: expect.stringContaining('docs/deploy.md') });
  });

  it('do not warn about connections with the settings that the apps request', async () => {
    const { log, lines } = keepingLogger();
    let isReady = false;
    const checks = checkStart({
      databaseUrl: world.databaseUrl,
      redisUrl: world.redisUrl,
      prefix: world.prefix,
      log,
      async onceReady() {
        isReady = true;
      },
    });
    await until('the checks to end', () => isReady);
    await checks.stop();

    expect(said(lines, 'time zone')).toEqual([]);
    expect(said(lines, 'idle_in_transaction_session_timeout')).toEqual([]);
  });

  it('explain how to install a browser if there is none', async () => {
    expect(await chromiumProblem({ executablePath: '/nowhere/chromium', isSandboxed: true })).toMatch(
      /^generate_pdf will fail here, because PUPPETEER_EXECUTABLE_PATH is \/nowhere\/chromium.*apt-get install chromium/,
    );
  });
});
