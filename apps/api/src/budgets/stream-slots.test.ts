import { AppError, type OrgId } from '@jobline/contracts';
import { expect, it, vi } from 'vitest';
import { createStreamSlots, type StreamSlots } from './stream-slots.js';

// The cast: any text is an organization here.
const org = (name: string) => name as OrgId;

function reserveMany(slots: StreamSlots, name: string, count: number) {
  return Array.from({ length: count }, () => slots.reserve(org(name)));
}

it('an organization gets no more slots than its limit, and a released slot is free again', () => {
  const slots = createStreamSlots({ maxPerOrg: 2, maxTotal: 10 });
  const [first] = reserveMany(slots, 'a', 2);

  expect(() => slots.reserve(org('a'))).toThrow(AppError);
  first?.release();
  first?.release();
  expect(slots.size()).toBe(1);
  reserveMany(slots, 'a', 1);
  expect(() => slots.reserve(org('a'))).toThrow('Your organization has 2 event streams');
});

it('when all slots are in use, an organization with fewer gets the oldest slot of the one with the most', () => {
  const slots = createStreamSlots({ maxPerOrg: 4, maxTotal: 6 });
  const [oldest, second] = reserveMany(slots, 'a', 4);
  reserveMany(slots, 'b', 2);
  const onOldestEvicted = vi.fn();
  const onSecondEvicted = vi.fn();
  oldest?.onEvicted(onOldestEvicted);
  second?.onEvicted(onSecondEvicted);

  slots.reserve(org('c'));
  expect(onOldestEvicted).toHaveBeenCalledOnce();
  expect(onSecondEvicted).not.toHaveBeenCalled();
  expect(slots.size()).toBe(6);

  oldest?.release(); // as when its stream ends
  expect(slots.size()).toBe(6);
  const late = vi.fn();
  oldest?.onEvicted(late);
  expect(late).toHaveBeenCalledOnce();
});

it('organizations with about the same number of slots do not evict each other', () => {
  const slots = createStreamSlots({ maxPerOrg: 4, maxTotal: 5 });
  reserveMany(slots, 'a', 3);
  reserveMany(slots, 'b', 2);

  expect(() => slots.reserve(org('a'))).toThrow('All organizations together have 5 event streams');
  expect(() => slots.reserve(org('b'))).toThrow('All organizations together have 5 event streams');
  expect(() => reserveMany(slots, 'c', 1)).not.toThrow();
});
