import { nowMs, type Payload } from './payload.js';

/** The no-op job type of the product. */
export const BENCH_TYPE = 'bench_noop';

/** A worker process's report of the handlers that it has started since the last report. */
export interface Ran {
  event: 'ran';
  count: number;
  /** By the monotonic clock. */
  first: number;
  last: number;
  /** The times from sending to the start of the handler, for jobs that contain the time of sending. */
  pickupMs: number[];
}

const REPORT_EVERY_MS = 20;

/** Called by the no-op handler of every system, in the worker process. Reads the clock once per job. */
export function createRecorder(): (payload: Payload) => void {
  let ran: Ran | undefined;
  return ({ sent_at: sentAt }) => {
    const at = nowMs();
    if (!ran) {
      ran = { event: 'ran', count: 0, first: at, last: at, pickupMs: [] };
      setTimeout(() => {
        process.send?.(ran);
        ran = undefined;
      }, REPORT_EVERY_MS);
    }
    ran.count++;
    ran.last = at;
    if (sentAt > 0) ran.pickupMs.push(at - sentAt);
  };
}
