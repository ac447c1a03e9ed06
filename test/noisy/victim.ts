import { newId } from '@jobline/runtime';
import type { Person, Receiver } from '../harness/index.js';

/**
 * The observations of an organization that submits webhook jobs one at a time, and reads them, during an attack on the
 * API.
 */
export interface Seen {
  /** The slowest answer of the API, in ms. */
  worstAnswerMs: number;
  /** Maps the path of each accepted job's webhook to the time at which the job was accepted. */
  acceptedAt: ReadonlyMap<string, number>;
  /** Ids of the jobs that were accepted. */
  ids: string[];
  /** Unexpected statuses of answers. */
  refused: (number | string)[];
}

const EVERY_MS = 50;

/** Submits and reads jobs until the signal fires. Waits for every answer. */
export async function beVictim(person: Person, receiver: Receiver, signal: AbortSignal): Promise<Seen> {
  const acceptedAt = new Map<string, number>();
  const seen: Seen = { worstAnswerMs: 0, acceptedAt, ids: [], refused: [] };

  async function timed<T extends { status: number }>(call: () => Promise<T>, expected: number): Promise<T | null> {
    const startedAt = performance.now();
    const answer = await call().catch((error: Error) => {
      seen.refused.push(error.message);
      return null;
    });
    seen.worstAnswerMs = Math.max(seen.worstAnswerMs, performance.now() - startedAt);
    if (answer && answer.status !== expected) seen.refused.push(answer.status);
    return answer?.status === expected ? answer : null;
  }

  while (!signal.aborted) {
    const path = `/victim/${newId()}`;
    const payload = { url: byName(receiver.url) + path, payload: {} };
    const made = await timed(() => person.post('/jobs', { type: 'webhook', payload, max_retries: 3 }), 202);
    if (made) {
      acceptedAt.set(path, Date.now());
      seen.ids.push(made.body.id);
      await timed(() => person.get(`/jobs/${made.body.id}`), 200);
    }
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS));
  }

  return seen;
}

/**
 * Returns the times from each answer to the arrival of its webhook in ms, in ascending order. Must be called when
 * every job has finished.
 */
export function pickupsMs({ acceptedAt }: Seen, receiver: Receiver): number[] {
  const arrivedAt = new Map<string, number>();
  // Only the first delivery is a pickup.
  for (const { path, at } of receiver.received) if (!arrivedAt.has(path)) arrivedAt.set(path, at);
  const pickups = [...acceptedAt].map(([path, at]) => Math.max(0, (arrivedAt.get(path) ?? Date.now()) - at));
  return pickups.sort((a, b) => a - b);
}

export function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}

/** Returns the same address with a name, which must be looked up. */
export function byName(address: string): string {
  return address.replace('127.0.0.1', 'localhost');
}
