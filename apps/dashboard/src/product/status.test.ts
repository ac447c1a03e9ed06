import { expect, test } from 'vitest';
import { meaningOf, STATUSES } from './status.js';

test('every status has a word and a sentence, and no two statuses of a kind have the same icon', () => {
  for (const kind of Object.values(STATUSES)) {
    const all = Object.values(kind);
    for (const { word, meaning } of all) expect(`${word}: ${meaning}`).toMatch(/^\w+: .+\.$/);
    expect(new Set(all.map(({ icon }) => icon)).size).toBe(all.length);
  }
});

test('an unknown status of a newer server is shown by its own name', () => {
  expect(meaningOf('job', 'paused').word).toBe('paused');
});
