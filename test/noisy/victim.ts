import type { Person, Receiver } from '../harness/index.js';

/** What an organization saw that submits webhook jobs one at a time, and reads, while another one attacks. */
export interface Seen {
  /** The slowest answer of the API, in ms. */
  worstAnswerMs: number;
  /** From the answer to the webhook's arrival, in ms, smallest first. */
  pickupsMs: number[];
  /** Ids of the jobs that were accepted. */
  ids: string[];
  /** Statuses of answers that were not as they should be. */
  refused: (number | string)[];
}

const EVERY_MS = 50;

/** Submits and reads until the signal fires. Waits for every answer. */
export async function beVictim(person: Person, receiver: Receiver, signal: AbortSignal): Promise<Seen> {
  const seen: Seen = { worstAnswerMs: 0, pickupsMs: [], ids: [], refused: [] };
  const acceptedAt = new Map<string, number>();

  async function timed<T extends { status: number }>(ask: () => Promise<T>, expected: number): Promise<T | null> {
    const startedAt = performance.now();
    const answer = await ask().catch((error: Error) => {
      seen.refused.push(error.message);
      return null;
    });
    seen.worstAnswerMs = Math.max(seen.worstAnswerMs, performance.now() - startedAt);
    if (answer && answer.status !== expected) seen.refused.push(answer.status);
    return answer?.status === expected ? answer : null;
  }

  for (let n = 0; !signal.aborted; n++) {
    const path = `/victim/${person.orgId}/${n}`;
    const payload = { url: receiver.url + path, payload: {} };
    const made = await timed(() => person.post('/jobs', { type: 'webhook', payload, max_retries: 3 }), 202);
    if (made) {
      acceptedAt.set(path, Date.now());
      seen.ids.push(made.body.id);
      await timed(() => person.get(`/jobs/${made.body.id}`), 200);
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }

  for (const { path, at } of receiver.received) {
    const accepted = acceptedAt.get(path);
    if (accepted !== undefined) seen.pickupsMs.push(Math.max(0, at - accepted));
    acceptedAt.delete(path); // a second delivery is not a pickup
  }
  seen.pickupsMs.sort((a, b) => a - b);
  return seen;
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
