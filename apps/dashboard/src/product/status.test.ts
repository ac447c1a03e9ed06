import { expect, test } from 'vitest';
import { meaningOf, STATUSES } from './status.js';

test('every status has a word and a sentence, and no two of a kind look the same', () => {
  for (const kind of Object.values(STATUSES)) {
    const all = Object.values(kind);
    for (const { word, meaning } of all) expect(`${word}: ${meaning}`).toMatch(/^\w+: .+\.$/);
    expect(new Set(all.map(({ icon }) => icon)).size).toBe(all.length);
  }
});

test('a status that a newer server made up is shown by its own name', () => {
  expect(meaningOf('job', 'paused').word).toBe('paused');
});
