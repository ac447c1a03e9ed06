import { pause } from '@jobline/runtime';
import { expect } from 'vitest';

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
  /** Batches with a 202. */
  accepted(): number;
  /** Requests that were repeated: the API answered 503 or ended. */
  repeated(): number;
  /** Resolves when all are accepted. */
  done: Promise<void>;
}

const BACK_OFF_MS = 250;

/** Submits batches at a constant rate. Each is repeated with its `Idempotency-Key` until it is accepted. */
export function startLoad({ urls, token, batch, batches, everyMs }: LoadOptions): Load {
  const body = JSON.stringify(batch);
  const counts = { accepted: 0, repeated: 0 };

  async function submit(n: number): Promise<void> {
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'idempotency-key': `batch-${n}`,
    };
    for (let attempt = n; ; attempt++) {
      const all = urls();
      const url = `${all[attempt % all.length]}/jobs/batch`;
      const answer = await fetch(url, { method: 'POST', headers, body }).catch(() => null);
      await answer?.text().catch(() => null);
      if (answer?.status === 202) break;
      if (answer) expect(answer.status).toBe(503);
      counts.repeated++;
      await pause(BACK_OFF_MS);
    }
    counts.accepted++;
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

  return { accepted: () => counts.accepted, repeated: () => counts.repeated, done: submitAll() };
}

/** Batches that are submitted at the same time. */
const MAX_RUNNING = 20;
