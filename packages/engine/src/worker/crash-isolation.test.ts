import type { Claim } from '@jobline/db/job-transitions';
import { expect, test } from 'vitest';
import { createQuarantine } from './crash-isolation.js';

// The cast: of a claim nothing else is looked at.
const lost = (losses: number) => ({ losses }) as Claim;
const all = { suspects: 10, quarantined: 1 };

test('one job at a time is quarantined, and few at a time are suspects', () => {
  expect(createQuarantine().takeRoom()).toEqual(all);
});

test('what one statement may take no other can take meanwhile', () => {
  const quarantine = createQuarantine();
  const room = quarantine.takeRoom();

  expect(quarantine.takeRoom()).toEqual({ suspects: 0, quarantined: 0 });

  quarantine.settle(room, []);
  expect(quarantine.takeRoom()).toEqual(all);
});

test('a job has its place until it leaves; one that was never lost needs none', () => {
  const quarantine = createQuarantine();
  const claims = [lost(0), lost(1), lost(1), lost(2)];

  quarantine.settle(quarantine.takeRoom(), claims);
  const left = quarantine.takeRoom();
  expect(left).toEqual({ suspects: 8, quarantined: 0 });

  quarantine.settle(left, []);
  for (const claim of claims) quarantine.leave(claim);
  expect(quarantine.takeRoom()).toEqual(all);
});
