import { nowMs, type Payload } from './payload.js';

/** The no-op job type of the product. */
export const BENCH_TYPE = 'bench_noop';

/** What a worker process tells of the handlers that it has started since it last told. */
export interface Ran {
  event: 'ran';
  count: number;
  /** By the monotonic clock. */
  first: number;
  last: number;
  /** From the start of sending to the start of the handler, of jobs that say when they were sent. */
  pickupMs: number[];
}

const TELL_EVERY_MS = 20;

/** Called by the no-op handler of every system, in the worker's own process: one reading of the clock per job. */
export function createRecorder(): (payload: Payload) => void {
  let ran: Ran | undefined;
  return ({ sent_at: sentAt }) => {
    const at = nowMs();
    if (!ran) {
      ran = { event: 'ran', count: 0, first: at, last: at, pickupMs: [] };
      setTimeout(() => {
        process.send?.(ran);
        ran = undefined;
      }, TELL_EVERY_MS);
    }
    ran.count++;
    ran.last = at;
    if (sentAt > 0) ran.pickupMs.push(at - sentAt);
  };
}
