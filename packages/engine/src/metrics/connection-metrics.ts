import type { PoolStats } from '@jobline/db';
import type { Metrics } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';

/** Whether Redis can be asked, and how long it takes to answer: a PING whenever somebody reads the figures. */
export function watchRedis(metrics: Metrics, producer: Pick<Producer, 'ping'>): void {
  metrics.gauge('redis_up', 'Whether Redis answers this process.', async () =>
    Number((await producer.ping()) !== null),
  );
  metrics.gauges('redis_ping_seconds', 'How long Redis takes to answer; absent while it does not.', [], async () => {
    const tookMs = await producer.ping();
    return tookMs === null ? [] : [{ labels: {}, value: tookMs / 1_000 }];
  });
}

/** Gives each pool's look to the figures, under the pool's name. */
export function watchPools(metrics: Metrics): (pool: string) => (look: () => PoolStats) => void {
  const pools = new Map<string, () => PoolStats>();
  const read = (pick: (figures: PoolStats) => number) => () =>
    [...pools].map(([pool, look]) => ({ labels: { pool }, value: pick(look()) }));
  const gauge = (name: string, help: string, pick: (figures: PoolStats) => number) =>
    metrics.gauges(`postgres_pool_${name}`, help, ['pool'], read(pick));
  gauge('connections', 'Connections to Postgres, by pool.', ({ size }) => size);
  gauge('connections_in_use', 'Connections that a statement runs on.', ({ inUse }) => inUse);
  gauge('connections_max', 'Connections that a pool may have.', ({ max }) => max);
  gauge('statements_waiting', 'Statements that wait for a connection.', ({ waiting }) => waiting);
  return (pool) => (look) => void pools.set(pool, look);
}
