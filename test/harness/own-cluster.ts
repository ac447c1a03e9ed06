import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startRedis } from '@jobline/devstack';
import { Redis } from 'ioredis';
import { CLUSTER_SETTINGS, joinCluster } from './stack/redis-cluster.js';
import { until } from './until.js';

/** A Redis Cluster of three masters whose nodes one test may kill. */
export interface OwnCluster {
  url: string;
  masters: readonly Server[];
  end(): Promise<void>;
}

const MASTERS = 3;

/** With a replica for each master, which takes over soon after its master died. */
export async function startOwnCluster({ hasReplicas = false } = {}): Promise<OwnCluster> {
  const dir = await mkdtemp(join(tmpdir(), 'jobline-test-cluster-'));
  const settings = { appendonly: 'no', ...CLUSTER_SETTINGS, ...(hasReplicas && { 'cluster-node-timeout': '1000' }) };
  const start = (name: string) => startRedis({ dir: join(dir, name), settings });
  const numbers = Array.from({ length: MASTERS }, (_, n) => n);
  const masters = await Promise.all(numbers.map((n) => start(`master-${n}`)));
  const replicas = hasReplicas ? await Promise.all(numbers.map((n) => start(`replica-${n}`))) : [];
  const url = await joinCluster(masters);
  for (const [n, replica] of replicas.entries()) await replicate(masters[n], replica);
  return {
    url,
    masters,
    async end() {
      await Promise.all([...masters, ...replicas].map((server) => server.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** Makes an empty node the replica of a master. Resolves when it has a copy of the data. */
async function replicate(master: Server | undefined, replica: Server): Promise<void> {
  if (!master) throw new Error('a replica without a master');
  const [of, client] = [new Redis(master.url), new Redis(replica.url)];
  try {
    const id = await of.call('CLUSTER', 'MYID');
    await client.call('CLUSTER', 'MEET', '127.0.0.1', `${master.port}`);
    const isKnown = () => client.call('CLUSTER', 'REPLICATE', String(id)).catch(() => null);
    await until('the replica to know its master', isKnown);
    await until('the copy', async () => (await client.info('replication')).includes('master_link_status:up'));
  } finally {
    of.disconnect();
    client.disconnect();
  }
}
