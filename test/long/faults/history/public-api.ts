import type { Attempt, LogEntry, Story } from './check-job.js';
import { type Sent, send } from './http.js';

/** The public API, as a caller sees it. Every call is repeated until an API process answers. */
export interface PublicApi {
  /** The parsed body of a 2xx response. Throws for other responses, except 503. */
  ask<T>(path: string, sent?: Sent): Promise<T>;
  /** The statuses of all jobs in the list, by their ids. */
  statuses(): Promise<Map<string, string>>;
  /** The log of a job and its attempts. */
  story(id: string): Promise<Story>;
}

const PAUSE_MS = 250;
const MAX_TRIES = 240;

/** `headers` contain the credentials. `urls` returns the API processes that run. */
export function createPublicApi(urls: () => readonly string[], headers: Record<string, string>): PublicApi {
  let calls = 0;

  async function answer(path: string, sent: Sent = {}) {
    for (let tries = 1; ; tries++) {
      const all = urls();
      const got = await send(`${all[calls++ % all.length]}${path}`, {
        ...sent,
        headers: { ...headers, ...sent.headers },
      });
      if (got.status !== null && got.status >= 200 && got.status <= 299) return got;
      if (got.status !== null && got.status !== 503) throw new Error(`${path}: ${got.status} ${got.text}`);
      if (tries === MAX_TRIES) throw new Error(`${path}: ${JSON.stringify(got)}`);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }

  async function ask<T>(path: string, sent?: Sent): Promise<T> {
    const { text } = await answer(path, sent);
    // The cast: callers name the fields that they read.
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  return {
    ask,
    async statuses() {
      const statuses = new Map<string, string>();
      let cursor: string | null = '';
      while (cursor !== null) {
        const page: { text: string; cursor: string | null } = await answer(
          `/jobs?limit=1000${cursor && `&cursor=${cursor}`}`,
        );
        for (const { id, status } of JSON.parse(page.text)) statuses.set(id, status);
        cursor = page.cursor;
      }
      return statuses;
    },
    async story(id) {
      const log = await ask<LogEntry[]>(`/jobs/${id}/logs?limit=1000&detail=full`);
      return { log, attempts: await ask<Attempt[]>(`/jobs/${id}/attempts?limit=1000`) };
    },
  };
}
