import { pause } from '@jobline/runtime';
import { send } from '../long/faults/history/http.js';

export interface LoadOptions {
  /** The APIs that run now. */
  urls(): readonly string[];
  token: string;
  /** The body of `POST /jobs/batch`. */
  batch: object;
  batches: number;
  everyMs: number;
}

export interface Load {
  /** Requests that were repeated: the API answered 503 or not at all. */
  repeated(): number;
  /** Responses other than 202 and 503. Such a batch is not repeated. */
  unexpected: readonly string[];
  /** Resolves when all batches got a response. */
  done: Promise<void>;
}

const BACK_OFF_MS = 250;
/** Batches that are submitted at the same time. */
const MAX_RUNNING = 20;

/** Submits batches at a constant rate. Each is repeated with its `Idempotency-Key` while the API is not available. */
export function startLoad({ urls, token, batch, batches, everyMs }: LoadOptions): Load {
  const unexpected: string[] = [];
  let repeated = 0;

  async function submit(n: number): Promise<void> {
    const headers = { authorization: `Bearer ${token}`, 'idempotency-key': `batch-${n}` };
    for (let attempt = n; ; attempt++) {
      const all = urls();
      const answer = await send(`${all[attempt % all.length]}/jobs/batch`, { method: 'POST', headers, body: batch });
      if (answer.status === 202) return;
      if (answer.status !== null && answer.status !== 503) {
        unexpected.push(`${answer.status}: ${answer.text}`);
        return;
      }
      repeated++;
      await pause(BACK_OFF_MS);
    }
  }

  async function submitAll(): Promise<void> {
    const startedAt = performance.now();
    const running: Promise<void>[] = [];
    for (let n = 0; n < batches; n++) {
      await pause(Math.max(0, startedAt + n * everyMs - performance.now()));
      running.push(submit(n));
      if (running.length >= MAX_RUNNING) await running.shift();
    }
    await Promise.all(running);
  }

  return { repeated: () => repeated, unexpected, done: submitAll() };
}
