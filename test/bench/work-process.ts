// The working process of a library: `node work-process.js`, configured by its environment.
import type { Addresses } from './peer.js';
import { findPeer } from './peers/index.js';
import { createRecorder } from './recorder.js';
import { serve } from './serve.js';

const { BENCH_SYSTEM = '', BENCH_ADDRESSES = '' } = process.env;
const addresses: Addresses = JSON.parse(BENCH_ADDRESSES); // written by the process that started this one
const peer = findPeer(BENCH_SYSTEM);
if (!peer) throw new Error(`unknown system "${BENCH_SYSTEM}"`);

const worker = await peer.openWorker(addresses, createRecorder());
serve({}, () => worker.close());
