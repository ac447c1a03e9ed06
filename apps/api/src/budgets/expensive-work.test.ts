import { setImmediate as turn } from 'node:timers/promises';
import type { OrgId } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { createLargePages, limitRequests } from './expensive-work.js';

/** The cast: any text is an organization here. */
const org = (name: string) => name as OrgId;

it('an organization reads one large page at a time; other organizations and small pages do not wait for it', async () => {
  const pages = createLargePages();
  const started: string[] = [];
  const take = (name: string, limit: number) =>
    pages.take(org(name.charAt(0)), { limit }).then((release) => {
      started.push(name);
      return release;
    });

  const first = take('a1', 1_000);
  const second = take('a2', 1_000);
  await take('b1', 1_000);
  await take('a small', 100);
  for (let n = 0; n < 20; n++) await turn();
  expect(started).toEqual(['a1', 'b1', 'a small']);

  (await first)();
  await second;
  expect(started).toEqual(['a1', 'b1', 'a small', 'a2']);
});

it('a thousand requests of an organization wait beyond those in progress, and further ones are rejected', async () => {
  const requests = limitRequests();
  const take = (owner: string) => requests.take({ owner });
  const releases = await Promise.all(Array.from({ length: 64 }, () => take('a')));
  const waiting = Array.from({ length: 1_000 }, () => take('a'));

  await expect(take('a')).rejects.toMatchObject({ code: 'unavailable', headers: { 'Retry-After': '1' } });
  await take('b');
  // A second organization leaves fewer places to the first.
  for (const release of releases.slice(0, 52)) release();
  await turn();
  await expect(take('a')).rejects.toMatchObject({ code: 'unavailable' });
  releases[52]?.();
  await waiting[0];
  void take('a');
});
