import { version } from 'uuid';
import { expect, it } from 'vitest';
import { isUuid, newId, siblingId } from './ids.js';

it('ids are different, sort in the order in which they were generated, and contain the time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 20_000 }, newId);
  const after = Date.now();

  expect(ids.filter((id) => !isUuid(id) || version(id) !== 7)).toEqual([]);
  expect(new Set(ids).size).toBe(ids.length);
  expect([...ids].sort()).toEqual(ids);
  const times = ids.map((id) => Number.parseInt(id.replace('-', '').slice(0, 12), 16));
  expect(times.filter((time) => time < before || time > after)).toEqual([]);
});

it('the random parts of ids repeat neither within a pool of random bytes nor in the next one', () => {
  const parts = Array.from({ length: 2_000 }, () => newId().slice(-12));

  expect(new Set(parts).size).toBe(parts.length);
});

it('a sibling of an id follows from the id and a name, and sorts with it', () => {
  const id = newId();
  const siblings = ['ada@example.com', 'bob@example.com'].map((name) => siblingId(id, name));

  expect(siblings.map((sibling) => version(sibling))).toEqual([7, 7]);
  expect(siblings.map((sibling) => sibling.slice(0, 13))).toEqual([id.slice(0, 13), id.slice(0, 13)]);
  expect(new Set([id, ...siblings, siblingId(newId(), 'ada@example.com')]).size).toBe(4);
  expect(siblingId(id, 'ada@example.com')).toBe(siblings[0]);
});
