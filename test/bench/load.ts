import { setTimeout as sleep } from 'node:timers/promises';
import { makePayload, nowMs } from './payload.js';
import type { Submitter } from './peer.js';

/** When submitting began and when the last job was accepted, by the monotonic clock. */
export interface Load {
  startedAt: number;
  endedAt: number;
}

/** One job per call, so many calls at once. */
export function submitSingly(submitter: Submitter, count: number, inFlight: number): Promise<Load> {
  return timed(() => inTurns(count, inFlight, () => submitter.add(makePayload())));
}

/** So many jobs per call. */
export function submitInBatches(submitter: Submitter, count: number, size: number, inFlight: number): Promise<Load> {
  const payloads = Array.from({ length: size }, () => makePayload());
  return timed(() => inTurns(Math.ceil(count / size), inFlight, () => submitter.addMany(payloads)));
}

/** One job at a time, evenly spaced, whether those before were answered or not. */
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

async function inTurns(count: number, inFlight: number, call: () => Promise<void>): Promise<void> {
  let begun = 0;
  const lanes = Array.from({ length: Math.min(count, inFlight) }, async () => {
    while (begun < count) {
      begun++;
      await call();
    }
  });
  await Promise.all(lanes);
}
