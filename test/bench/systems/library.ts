import { fileURLToPath } from 'node:url';
import type { Addresses } from '../peer.js';
import { type Library, peers } from '../peers/index.js';
import { type Process, startProcess } from '../processes.js';
import type { System, SystemName } from '../system.js';
import { startHttpServer } from './http-server.js';

const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));
const workScript = fileURLToPath(new URL('../work-process.js', import.meta.url));

/** A queue library, with a submitting and a working process, as its users run it. */
export function librarySystem(name: SystemName & Library): System {
  return system(name, name, peers[name].settings, async (addresses, dir) => {
    const env = { BENCH_SYSTEM: name, BENCH_ADDRESSES: JSON.stringify(addresses) };
    const submitter = startProcess({ name: `${name} submitter`, script: submitScript, env, logDir: dir });
    await submitter.ready;
    return { submitter, processes: [submitter] };
  });
}

/** The library as a service: an Express route submits each job that it is sent. */
export function libraryOverHttp(name: SystemName, library: Library): System {
  const settings = `${library} as above, called by a route of Express with express.json(), over HTTP like Jobline`;
  return system(name, library, settings, async (addresses, dir) => {
    const { server, submitter } = await startHttpServer(library, { ...addresses, dir });
    return { submitter, processes: [server] };
  });
}

function system(
  name: SystemName,
  library: Library,
  settings: string,
  startSubmitter: (addresses: Addresses, dir: string) => Promise<{ submitter: Process; processes: readonly Process[] }>,
): System {
  return {
    name,
    settings,
    async start({ dir, redisUrl, database }) {
      const addresses: Addresses = { databaseUrl: await database(`bench_${name}`), redisUrl };
      const store = await peers[library].openStore(addresses);
      const { submitter, processes } = await startSubmitter(addresses, dir);
      return {
        submitter,
        processes,
        jobs: {
          store,
          takesBatches: processes.includes(submitter),
          async startWorker() {
            const env = { BENCH_SYSTEM: library, BENCH_ADDRESSES: JSON.stringify(addresses) };
            const worker = startProcess({ name: `${name} worker`, script: workScript, env, logDir: dir });
            await worker.ready;
            return worker;
          },
        },
        async stop() {
          for (const one of new Set([submitter, ...processes])) await one.stop();
          await store.close();
        },
      };
    },
  };
}
