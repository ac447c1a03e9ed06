import { expect } from 'vitest';
import { callsAs, createCall, until } from '../harness/index.js';
import type { Load } from './load.js';

/** What callers may get while an app is down. */
const ALLOWED = ['202', '503 with Retry-After'];

/** Resolves when callers have got this many jobs accepted. */
export function untilAccepted(load: Load, count: number): Promise<unknown> {
  return until(
    () => `${count} jobs to be accepted; the answers are ${answersOf(load)}`,
    () => load.accepted.length >= count,
  );
}

/** Expects nothing but a 202, or a 503 with `Retry-After`. If a connection may fail, that is left out. */
export function expectAllowed(load: Load, { mayDisconnect = false } = {}): void {
  const others = [...load.answers.keys()].filter((kind) => !ALLOWED.includes(kind));
  expect(others.filter((kind) => !(mayDisconnect && kind.includes('rror')))).toEqual([]);
}

export function answersOf({ answers }: Load): string {
  return JSON.stringify(Object.fromEntries(answers));
}

/** Resolves when all these jobs of a person are done. */
export async function untilDone(baseUrl: string, token: string, ids: readonly string[]): Promise<void> {
  const { get } = callsAs(createCall(baseUrl), token);
  const open = new Set(ids);
  let seen: string[] = [];
  await until(
    () => `${open.size} jobs to be done; the first are ${seen.slice(0, 3).join(', ')}`,
    async () => {
      const answers = await Promise.all([...open].slice(0, 50).map((id) => get(`/jobs/${id}`)));
      seen = answers.map(({ text }) => text);
      for (const { body } of answers) if (body.status === 'done') open.delete(body.id);
      return open.size === 0;
    },
  );
}
