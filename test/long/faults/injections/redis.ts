import { ask } from '@jobline/devstack';
import { pause } from '@jobline/runtime';
import { type Fault, type FaultContext, OUTAGE_MS } from '../fault.js';

export const killedRedis: Fault = {
  name: 'Redis `kill -9` without persistence',
  loadSeconds: 15,
  async cause({ servers }) {
    const [redis] = servers.redis;
    await redis?.kill();
    await redis?.start();
  },
};

export const flushedRedis: Fault = {
  name: '`FLUSHALL`',
  loadSeconds: 15,
  cause: ({ servers }) => command(servers, 'FLUSHALL'),
};

export const unreachableRedis: Fault = {
  name: 'Redis unreachable for 20 s',
  loadSeconds: 40,
  servers: { proxied: 'redis' },
  async cause({ servers }) {
    servers.proxy?.hold();
    await pause(OUTAGE_MS);
    servers.proxy?.resume();
  },
};

export const fullRedis: Fault = {
  name: 'Redis at `maxmemory` (`noeviction`) for 20 s',
  loadSeconds: 40,
  async cause({ servers }) {
    await command(servers, 'CONFIG SET maxmemory 1mb');
    await pause(OUTAGE_MS);
    await command(servers, 'CONFIG SET maxmemory 0');
  },
};

/** The replica becomes the master, without the writes that had not reached it. Then the old master is its replica. */
export const failedOverCluster: Fault = {
  name: 'failover of a Redis Cluster master',
  loadSeconds: 30,
  servers: { isCluster: true },
  async cause({ servers, say }) {
    const masters = servers.redis.slice(0, 3);
    const [, slot] = /^:(\d+)/.exec(await ask(masters[0]?.port ?? 0, 'CLUSTER KEYSLOT {jobline-io}\r\n', 1_000)) ?? [];
    const index = Math.floor((Number(slot) * masters.length) / 16_384);
    const replica = servers.redis[index + masters.length];
    await masters[index]?.kill();
    for (;;) {
      const role = await ask(replica?.port ?? 0, 'INFO replication\r\n', 1_000);
      if (role.includes('role:master')) break;
      await pause(100);
    }
    say('the replica is the master');
    await masters[index]?.start();
  },
};

async function command({ redis }: FaultContext['servers'], text: string): Promise<void> {
  const answer = await ask(redis[0]?.port ?? 0, `${text}\r\n`, 5_000);
  if (!answer.startsWith('+OK')) throw new Error(`${text}: ${answer}`);
}
