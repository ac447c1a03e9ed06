import type { JobKey } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { type Entry, entryOf } from '../queue/entry.js';
import { createEvents } from '../reporting/events.js';
import { createEnqueue } from './enqueue.js';

const KEY = '01a1fd32-24c2-74a7-bf83-c3cd7e597af6' as JobKey; // The cast: it has the form that newId generates.

test('entries that Redis does not accept are added again once when it answers', async () => {
  const added: (readonly Entry[])[] = [];
  const ready: (() => void)[] = [];
  let answers = false;
  const producer = {
    add: async (entries: readonly Entry[]) => {
      if (answers) added.push(entries);
      return answers;
    },
    onReady: (listener: () => void) => void ready.push(listener),
  };
  const enqueue = createEnqueue({ producer, events: createEvents() });
  const entries = [1, 2].map((seq) => entryOf({ key: KEY, queue: 'io', seq }));

  await enqueue(entries);
  expect(added).toEqual([]);
  answers = true;
  for (const notifyReady of [...ready, ...ready]) notifyReady();

  expect(added).toEqual([entries]);
});
