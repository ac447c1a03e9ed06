import { setTimeout as sleep } from 'node:timers/promises';
import { makePayload, nowMs } from './payload.js';
import type { Submitter } from './peer.js';

/** The times of the first submission and of the last acceptance, by the monotonic clock. */
export interface Load {
  startedAt: number;
  endedAt: number;
}

/** Submits one job per call, with `inFlight` concurrent calls. */
export function submitSingly(submitter: Submitter, count: number, inFlight: number): Promise<Load> {
  return timed(() => inLanes(count, inFlight, () => submitter.add(makePayload())));
}

/** Submits `size` jobs per call, and the rest with the last one. */
export function submitInBatches(submitter: Submitter, count: number, size: number, inFlight: number): Promise<Load> {
  const payloads = Array.from({ length: size }, () => makePayload());
  return timed(() =>
    inLanes(Math.ceil(count / size), inFlight, (n) => submitter.addMany(payloads.slice(0, count - n * size))),
  );
}

/** Submits one job at a time at a constant rate, without waiting for answers. */
export function submitPaced(submitter: Submitter, count: number, perSecond: number): Promise<Load> {
  return timed(async () => {
    const startedAt = nowMs();
    const calls: Promise<void>[] = [];
    while (calls.length < count) {
      const dueAt = startedAt + (calls.length * 1_000) / perSecond;
      const early = dueAt - nowMs();
      if (early > 0) await sleep(early);
      calls.push(submitter.add(makePayload(nowMs())));
    }
    await Promise.all(calls);
  });
}

async function timed(work: () => Promise<void>): Promise<Load> {
  const startedAt = nowMs();
  await work();
  return { startedAt, endedAt: nowMs() };
}

/** `call` gets the numbers from 0 to `count` - 1. */
async function inLanes(count: number, inFlight: number, call: (n: number) => Promise<void>): Promise<void> {
  let begun = 0;
  const lanes = Array.from({ length: Math.min(count, inFlight) }, async () => {
    while (begun < count) {
      await call(begun++);
    }
  });
  await Promise.all(lanes);
}
