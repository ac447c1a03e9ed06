import { openClient } from '../http-client.js';
import type { Submitter } from '../peer.js';
import { BENCH_TYPE } from '../recorder.js';

/** The number of connections, and so the highest number of concurrent requests. */
export const CONNECTIONS = 64;

/** For servers that answer POST /jobs with 202: the product and the bare route. */
export async function openHttpSubmitter({ url, apiKey }: { url: string; apiKey: string }): Promise<Submitter> {
  const client = await openClient(url, CONNECTIONS, { 'X-API-Key': apiKey });
  const post = async (path: string, body: object) => {
    const { status, body: answer } = await client.post(path, JSON.stringify(body));
    if (status !== 202) throw new Error(`POST ${path} got ${status}: ${answer.slice(0, 300)}`);
  };
  return {
    add: (payload) => post('/jobs', { type: BENCH_TYPE, payload }),
    addMany: (payloads) => post('/jobs/batch', { jobs: payloads.map((payload) => ({ type: BENCH_TYPE, payload })) }),
    close: async () => client.close(),
  };
}
