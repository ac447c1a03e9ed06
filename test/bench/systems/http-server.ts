import { fileURLToPath } from 'node:url';
import { findFreePort } from '@jobline/devstack';
import type { Addresses } from '../peer.js';
import { type Process, startProcess } from '../processes.js';

const submitScript = fileURLToPath(new URL('../submit-process.js', import.meta.url));
const serverScript = fileURLToPath(new URL('../http-process.js', import.meta.url));

/** Starts the server of `kind` (`bare`, `express` or the name of a library) and the load generator that calls it. */
export async function startHttpServer(
  kind: string,
  { databaseUrl = '', redisUrl = '', dir }: Partial<Addresses> & { dir: string },
): Promise<{ server: Process; submitter: Process }> {
  const port = await findFreePort();
  const env = { BENCH_SYSTEM: kind, BENCH_ADDRESSES: JSON.stringify({ databaseUrl, redisUrl }), PORT: String(port) };
  const server = startProcess({ name: `${kind} server`, script: serverScript, env, logDir: dir });
  await server.ready;
  const http = { url: `http://127.0.0.1:${port}`, apiKey: 'jl_none' };
  const addresses: Addresses = { databaseUrl: '', redisUrl: '', http };
  const submitEnv = { BENCH_ADDRESSES: JSON.stringify(addresses) };
  const submitter = startProcess({ name: `${kind} load`, script: submitScript, env: submitEnv, logDir: dir });
  await submitter.ready;
  return { server, submitter };
}
