import type { OrgId } from '@jobline/contracts';
import { pause } from '@jobline/runtime';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLargeWrites, type LargeWrites } from './large-writes.js';

// The casts: no organization has these ids.
const [one, other, third] = ['one', 'other', 'third'] as [OrgId, OrgId, OrgId];
const MIB = 1024 * 1024;

let writeInTurn: LargeWrites;
let begun: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout'] });
  writeInTurn = createLargeWrites();
  begun = [];
});
afterEach(() => vi.useRealTimers());

function write(orgId: OrgId, length: number, name: string, tookMs = 100): Promise<void> {
  return writeInTurn({ orgId, length }, async () => {
    begun.push(name);
    await pause(tookMs);
  });
}

it('large writes of an organization follow each other, with a pause of three times the write before', async () => {
  const first = write(one, MIB, 'first');
  void write(one, MIB, 'second');
  await vi.advanceTimersByTimeAsync(100);
  await first;
  await vi.advanceTimersByTimeAsync(299);
  expect(begun).toEqual(['first']);

  await vi.advanceTimersByTimeAsync(1);
  expect(begun).toEqual(['first', 'second']);
});

it('neither short writes nor those of another organization wait', async () => {
  for (let n = 0; n < 10; n++) void write(one, MIB, 'large');
  void write(other, MIB, 'of another');
  void write(one, 1_000, 'short');
  await vi.advanceTimersByTimeAsync(0);

  expect(begun.sort()).toEqual(['large', 'of another', 'short']);
});

it('organizations that pause after their writes leave their capacity to others', async () => {
  for (let n = 0; n < 10; n++) for (const orgId of [one, other]) void write(orgId, MIB, 'of many');
  void write(third, MIB, 'of the third');
  await vi.advanceTimersByTimeAsync(100);

  expect(begun).toEqual(['of many', 'of many', 'of the third']);
});

it('a write that fails lets the next one begin', async () => {
  const failing = writeInTurn({ orgId: one, length: MIB }, () => Promise.reject(new Error('refused')));
  void write(one, MIB, 'next');
  await expect(failing).rejects.toThrow('refused');
  await vi.advanceTimersByTimeAsync(1);

  expect(begun).toEqual(['next']);
});
