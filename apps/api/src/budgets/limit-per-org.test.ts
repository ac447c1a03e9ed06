import type { OrgId } from '@jobline/contracts';
import { expect, it } from 'vitest';
import { limitPerOrg } from './org-turns.js';

// The casts: ids are branded only in our types.
const [A, B] = ['a', 'b'] as OrgId[] as [OrgId, OrgId];

it('an organization has a limited number of running works, and others do not wait for them', async () => {
  const run = limitPerOrg(2);
  const started: string[] = [];
  const ends: (() => void)[] = [];
  const work = (orgId: OrgId, name: string) =>
    run(orgId, () => {
      started.push(name);
      return new Promise<void>((resolve) => void ends.push(resolve));
    });

  const works = [work(A, 'a1'), work(A, 'a2'), work(A, 'a3'), work(B, 'b1')];
  await expect.poll(() => started).toEqual(['a1', 'a2', 'b1']);

  ends[0]?.();
  await works[0];
  await expect.poll(() => started).toEqual(['a1', 'a2', 'b1', 'a3']);
  for (const end of ends) end();
  await Promise.all(works);
});

it('a work that fails frees its place', async () => {
  const run = limitPerOrg(1);
  await expect(run(A, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');

  expect(await run(A, async () => 'done')).toBe('done');
});
