import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CALM, type Cost, lowest } from '../harness/reference.js';
import { ATTACKS, type Attack, IDLE } from '../noisy/attacks/index.mjs';
import { expectUnharmed } from '../noisy/expect-unharmed.js';
import { type Noisy, startNoisy } from '../noisy/noisy.js';
import { createTable, medianOf, type Times, timesOf, worstAnswerMs } from '../noisy/report.js';
import { named } from '../noisy/short-form.js';

/** The duration of each attack. NOISY_MS: a shorter one, for the author of an attack. */
const ATTACK_MS = Number(process.env.NOISY_MS ?? 15_000);
/**
 * What holds for the other organization during each attack, on a machine that is not slower than the one of
 * docs/measurements/isolation.md.
 */
const WORST_ANSWER_MS = 1_000;
const START_P99_MS = 500;
const EVENT_P99_MS = 3_000;

/** A stall of the disk of this machine spoils one measurement, so an attack that exceeds a bound is measured so many times. */
const MEASUREMENTS = 3;
/** At first, the processes compile their code. */
const WARM_UP_MS = 20_000;

/**
 * So many references are measured before each attack. The lowest of those before the last few attacks shows how much slower this machine
 * is than a calm one: what is left to do of a single attack must not count.
 */
const REFERENCES = 3;
const KEPT_REFERENCES = 5 * REFERENCES;

let noisy: Noisy;
const table = createTable();
const references: Cost[] = [];
/** How much slower this machine is now than the one of docs/measurements/isolation.md: at least 1. */
let slowness = 1;
/** The p99 of the events without an attack. */
let idleEventMs = Number.POSITIVE_INFINITY;

beforeAll(async () => {
  noisy = await startNoisy(2, WARM_UP_MS);
  slowness = await measureSlowness();
  idleEventMs = (await measure(IDLE)).eventMs;
});
afterAll(() => noisy.end());

describe('an attack does not harm other organizations', () => {
  it.each(named(ATTACKS))('%s', async (_name, attack) => {
    slowness = await measureSlowness();
    expect(exceeded(await measure(attack), attack), `on a machine that is ${slowness.toFixed(2)} times slower`).toEqual(
      {},
    );
  });
});

async function measureSlowness(): Promise<number> {
  for (let n = 0; n < REFERENCES; n++) references.push(await noisy.reference());
  references.splice(0, references.length - KEPT_REFERENCES);
  const { sqlMs, loopMs } = references.reduce(lowest);
  return Math.max(1, sqlMs / CALM.sqlMs, loopMs / CALM.loopMs);
}

/** Measures an attack once or, if it exceeds a bound, three times. Then the median counts. */
async function measure(attack: Attack): Promise<Times> {
  const measureOnce = async () => {
    const report = await noisy.attack(attack, ATTACK_MS);
    table.show(report);
    expectUnharmed(report);
    return report;
  };
  let report = await measureOnce();
  const measurements: [Times, ...Times[]] = [timesOf(report)];
  const isRepeated = Object.keys(exceeded(measurements[0], attack)).length > 0;
  while (isRepeated && measurements.length < MEASUREMENTS) {
    report = await measureOnce();
    measurements.push(timesOf(report));
  }
  const times = medianOf(measurements);
  table.add(report, times);
  return times;
}

/** The times that exceed their bounds. */
function exceeded(times: Times, { maxEventFactor = Number.POSITIVE_INFINITY }: Attack): Partial<Times> {
  const { startMs, limitedStartMs, eventMs } = times;
  return {
    ...(worstAnswerMs(times) > WORST_ANSWER_MS * slowness && { worstMs: times.worstMs }),
    ...(startMs > START_P99_MS * slowness && { startMs }),
    ...(limitedStartMs > START_P99_MS * slowness && { limitedStartMs }),
    ...(eventMs > Math.min(EVENT_P99_MS * slowness, maxEventFactor * idleEventMs) && { eventMs }),
  };
}
