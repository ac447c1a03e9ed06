import type { PoolStats } from '@jobline/db';
import type { Metrics } from '@jobline/runtime';
import type { Producer } from '../queue/producer.js';

/** Provides the availability and the response time of Redis: one PING whenever the metrics are read. */
export function watchRedis(metrics: Metrics, producer: Pick<Producer, 'ping'>): void {
  metrics.gauge('redis_up', 'Whether Redis answers this process.', async () =>
    Number((await producer.ping()) !== null),
  );
  metrics.gauges('redis_ping_seconds', 'Response time of Redis. Absent while it does not answer.', [], async () => {
    const tookMs = await producer.ping();
    return tookMs === null ? [] : [{ labels: {}, value: tookMs / 1_000 }];
  });
}

/** Registers the statistics of each pool under its name. */
export function watchPools(metrics: Metrics): (pool: string) => (look: () => PoolStats) => void {
  const pools = new Map<string, () => PoolStats>();
  const read = (pick: (stats: PoolStats) => number) => () =>
    [...pools].map(([pool, look]) => ({ labels: { pool }, value: pick(look()) }));
  const gauge = (name: string, help: string, pick: (stats: PoolStats) => number) =>
    metrics.gauges(`postgres_pool_${name}`, help, ['pool'], read(pick));
  gauge('connections', 'Connections to Postgres, by pool.', ({ size }) => size);
  gauge('connections_in_use', 'Connections that run a statement, by pool.', ({ inUse }) => inUse);
  gauge('connections_max', 'Maximum number of connections, by pool.', ({ max }) => max);
  gauge('statements_waiting', 'Statements that wait for a connection, by pool.', ({ waiting }) => waiting);
  return (pool) => (look) => void pools.set(pool, look);
}
