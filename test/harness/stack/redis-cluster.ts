import { setTimeout as sleep } from 'node:timers/promises';
import { ask, PlainError, type Server } from '@jobline/devstack';

/** The settings of each node. */
export const CLUSTER_SETTINGS = { 'cluster-enabled': 'yes', 'cluster-node-timeout': '5000' };

const SLOTS = 16_384;
const READY_LIMIT_MS = 30_000;

/**
 * Joins empty servers to one Redis Cluster, in which each is the master of an equal share of the slots. Returns the
 * REDIS_URL.
 */
export async function joinCluster(nodes: readonly Server[]): Promise<string> {
  const first = nodes[0]?.port ?? 0;
  for (const [n, { port }] of nodes.entries()) {
    const [from, to] = [n, n + 1].map((share) => Math.floor((share * SLOTS) / nodes.length));
    await send(port, `CLUSTER ADDSLOTS ${range(from, to).join(' ')}`); // ADDSLOTSRANGE needs Redis 7
    await send(port, `CLUSTER MEET 127.0.0.1 ${first}`);
  }
  for (const { port } of nodes) await untilReady(port, nodes.length);
  return nodes.map(({ url }) => url).join(',');
}

/** Adds an empty server as the replica of each master of a cluster. */
export async function addReplicas(masters: readonly Server[], replicas: readonly Server[]): Promise<void> {
  for (const [n, { port }] of replicas.entries()) {
    const master = masters[n]?.port ?? 0;
    await send(port, `CLUSTER MEET 127.0.0.1 ${master}`);
    const [, id = ''] = (await ask(master, 'CLUSTER MYID\r\n', 5_000)).split('\r\n');
    await untilAnswer(port, 'CLUSTER NODES', (nodes) => nodes.includes(id));
    await send(port, `CLUSTER REPLICATE ${id}`);
  }
  for (const { port } of replicas)
    await untilAnswer(port, 'INFO replication', (info) => info.includes('master_link_status:up'));
  for (const { port } of masters) await untilReady(port, masters.length);
}

async function send(port: number, command: string): Promise<void> {
  const answer = await ask(port, `${command}\r\n`, 5_000);
  if (!answer.startsWith('+OK'))
    throw new PlainError(`Redis on port ${port} rejected a cluster command: ${answer.trim()}`);
}

function untilReady(port: number, count: number): Promise<void> {
  return untilAnswer(
    port,
    'CLUSTER INFO',
    (state) => state.includes('cluster_state:ok') && state.includes(`cluster_size:${count}\r`),
  );
}

async function untilAnswer(port: number, command: string, isRight: (answer: string) => boolean): Promise<void> {
  for (const end = performance.now() + READY_LIMIT_MS; ; await sleep(100)) {
    const answer = await ask(port, `${command}\r\n`, 1_000);
    if (isRight(answer)) return;
    if (performance.now() > end) throw new PlainError(`The Redis Cluster did not become ready:\n${answer.trim()}`);
  }
}

function range(from = 0, to = 0): number[] {
  return Array.from({ length: to - from }, (_, n) => from + n);
}
