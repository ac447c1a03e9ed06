import { fileURLToPath } from 'node:url';
import type { Addresses } from '../peer.js';
import { peers } from '../peers/index.js';
import { startProcess } from '../processes.js';
import type { System, SystemName } from '../system.js';

const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));
const workScript = fileURLToPath(new URL('../work-process.js', import.meta.url));

/** A queue library, with a submitting and a working process, as its users run it. */
export function librarySystem(name: SystemName): System {
  const peer = peers[name];
  if (!peer) throw new Error(`unknown library "${name}"`);
  return {
    name,
    settings: peer.settings,
    async start({ dir, redisUrl, database }) {
      const addresses: Addresses = { databaseUrl: await database(`bench_${name}`), redisUrl };
      const env = { BENCH_SYSTEM: name, BENCH_ADDRESSES: JSON.stringify(addresses) };
      const store = await peer.openStore(addresses);
      const submitter = startProcess({ name: `${name} submitter`, script: submitScript, env, logDir: dir });
      await submitter.ready;
      return {
        submitter,
        processes: [submitter],
        jobs: {
          store,
          takesBatches: true,
          async startWorker() {
            const worker = startProcess({ name: `${name} worker`, script: workScript, env, logDir: dir });
            await worker.ready;
            return worker;
          },
        },
        async stop() {
          await submitter.stop();
          await store.close();
        },
      };
    },
  };
}
