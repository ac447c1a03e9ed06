import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ATTACKS, IDLE } from '../noisy/attacks/index.mjs';
import { expectUnharmed } from '../noisy/expect-unharmed.js';
import { type Noisy, startNoisy } from '../noisy/noisy.js';
import { createTable, p99, worstAnswerMs } from '../noisy/report.js';
import { named } from '../noisy/short-form.js';

/** The duration of each attack. NOISY_MS: a shorter one, for the author of an attack. */
const ATTACK_MS = Number(process.env.NOISY_MS ?? 15_000);
/** What holds for the other organization during each attack. */
const WORST_ANSWER_MS = 1_000;
const START_P99_MS = 500;
const EVENT_P99_MS = 3_000;

let noisy: Noisy;
const table = createTable();
/** The p99 of the events without an attack. */
let idleEventMs: number;

beforeAll(async () => {
  noisy = await startNoisy(2);
  const idle = await noisy.attack(IDLE, ATTACK_MS);
  table.add(idle);
  expectUnharmed(idle);
  idleEventMs = p99(idle.eventsMs);
});
afterAll(async () => {
  await noisy.end();
  table.print();
});

describe('an attack does not harm other organizations', () => {
  it.each(named(ATTACKS))('%s', async (_name, attack) => {
    const report = await noisy.attack(attack, ATTACK_MS);
    table.add(report);

    expectUnharmed(report);
    expect(worstAnswerMs(report)).toBeLessThanOrEqual(WORST_ANSWER_MS);
    expect(p99(report.startsMs)).toBeLessThanOrEqual(START_P99_MS);
    expect(p99(report.limitedStartsMs)).toBeLessThanOrEqual(START_P99_MS);
    const { maxEventFactor = Number.POSITIVE_INFINITY } = attack;
    expect(p99(report.eventsMs)).toBeLessThanOrEqual(Math.min(EVENT_P99_MS, maxEventFactor * idleEventMs));
  });
});
