import type { Attempt, Final, LogEntry } from './check-job.js';
import { type Sent, send } from './http.js';

/** The public API, as a caller sees it. Every call is repeated until an API process answers. */
export interface PublicApi {
  /** The parsed body of a 2xx response. Throws for other responses, except 503. */
  ask<T>(path: string, sent?: Sent): Promise<T>;
  job(id: string): Promise<Final>;
}

const PAUSE_MS = 250;
const MAX_TRIES = 240;

/** `headers` contain the credentials. `urls` returns the API processes that run. */
export function createPublicApi(urls: () => readonly string[], headers: Record<string, string>): PublicApi {
  let calls = 0;

  async function answer(path: string, sent: Sent = {}): Promise<{ status: number; text: string }> {
    for (let tries = 1; ; tries++) {
      const all = urls();
      const got = await send(`${all[calls++ % all.length]}${path}`, {
        ...sent,
        headers: { ...headers, ...sent.headers },
      });
      if (got.status !== null && got.status !== 503) return got;
      if (tries === MAX_TRIES) throw new Error(`${path}: ${JSON.stringify(got)}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async function ask<T>(path: string, sent?: Sent): Promise<T> {
    const { status, text } = await answer(path, sent);
    if (status < 200 || status > 299) throw new Error(`${path}: ${status} ${text}`);
    // The cast: callers name the fields that they read.
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  return {
    ask,
    async job(id) {
      const { status, text } = await answer(`/jobs/${id}`);
      if (status === 404) return null;
      if (status !== 200) throw new Error(`/jobs/${id}: ${status} ${text}`);
      const log = await ask<LogEntry[]>(`/jobs/${id}/logs?limit=1000&detail=full`);
      const attempts = await ask<Attempt[]>(`/jobs/${id}/attempts?limit=1000`);
      return { status: JSON.parse(text).status, log, attempts };
    },
  };
}
