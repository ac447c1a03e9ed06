import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Server, startRedis } from '@jobline/devstack';
import { addReplicas, CLUSTER_SETTINGS, joinCluster } from './stack/redis-cluster.js';

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
  await addReplicas(masters, replicas);
  return {
    url,
    masters,
    async end() {
      await Promise.all([...masters, ...replicas].map((server) => server.stop()));
      await rm(dir, { recursive: true, force: true });
    },
  };
}
