// The submitting process of a system: `node submit-process.js`, configured by its environment and called over IPC.
import { submitInBatches, submitPaced, submitSingly } from './load.js';
import type { Addresses, Submitter } from './peer.js';
import { openHttpSubmitter } from './peers/http.js';
import { findPeer } from './peers/index.js';
import { serve } from './serve.js';

const { BENCH_SYSTEM = '', BENCH_ADDRESSES = '' } = process.env;
const addresses: Addresses = JSON.parse(BENCH_ADDRESSES); // written by the process that started this one
const submitter = await open();

serve({
  singly: ([count = 0, inFlight = 0]) => submitSingly(submitter, count, inFlight),
  batches: ([count = 0, size = 0, inFlight = 0]) => submitInBatches(submitter, count, size, inFlight),
  paced: ([count = 0, perSecond = 0]) => submitPaced(submitter, count, perSecond),
});

async function open(): Promise<Submitter> {
  if (addresses.http) return openHttpSubmitter(addresses.http);
  const peer = findPeer(BENCH_SYSTEM);
  if (!peer) throw new Error(`unknown system "${BENCH_SYSTEM}"`);
  return peer.openSubmitter(addresses);
}
