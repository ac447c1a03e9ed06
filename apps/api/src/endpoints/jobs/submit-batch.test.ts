import { createCatalogue } from '@jobline/handlers';
import Joi from 'joi';
import { describe, expect, it } from 'vitest';
import { createBodyBudget } from '../../budgets/body-budget.js';
import type { AppSettings } from '../../config.js';
import { submitBatch } from './submit-batch.js';

const invalid = { type: 'two words', payload: 5, max_retries: -1, priority: 99, run_at: 'never' };
const catalogue = createCatalogue();
/** The cast: the validation reads no setting but the allowed types. */
const settings = {} as AppSettings;

const budget = createBodyBudget({ maxBytes: 1e9, waitMs: 60_000 });

async function validate(mode: 'all' | 'each', owner = 'a', jobs: unknown[] = Array(1_000).fill(invalid)) {
  const { body } = submitBatch;
  if (!body || Joi.isSchema(body)) throw new Error('the body of a batch has its own validation');
  return body.validate({ jobs }, { catalogue, settings }, { mode }, budget.open(owner).nextTurn);
}

/** How often other callbacks ran before the end of some work. */
async function turnsDuring(work: Promise<unknown>): Promise<number> {
  let turns = 0;
  let next = setImmediate(function count() {
    turns++;
    next = setImmediate(count);
  });
  await work;
  clearImmediate(next);
  return turns;
}

describe.each(['all', 'each'] as const)('a batch of a thousand invalid jobs, with mode=%s', (mode) => {
  it('is validated in parts, so that other requests are answered in between', async () => {
    expect(await turnsDuring(validate(mode))).toBeGreaterThan(20);
  });

  it('does not delay that of another organization by more than its own turns', async () => {
    const ended: string[] = [];
    const first = Array.from({ length: 8 }, () => validate(mode).then(() => ended.push('a')));
    await Promise.all([...first, validate(mode, 'b').then(() => ended.push('b'))]);

    expect(ended.indexOf('b')).toBe(0);
  });
});

const timed = Array(100).fill({ type: 'a', payload: {}, run_at: new Date(Date.now() + 86_400_000).toISOString() });

it('valid jobs that only the schema can read are validated in parts', async () => {
  expect(await turnsDuring(validate('all', 'a', timed))).toBeGreaterThan(3);
});

it('a hundred batches that only the schema can read do not delay that of another organization', async () => {
  const ended: string[] = [];
  const first = Array.from({ length: 100 }, () => validate('all', 'a', timed).then(() => ended.push('a')));
  await Promise.all([...first, validate('all', 'b', timed).then(() => ended.push('b'))]);

  expect(ended.indexOf('b')).toBe(0);
});

it('a batch of valid jobs is validated at once', async () => {
  const jobs = Array.from({ length: 1_000 }, (_, n) => ({ type: 'a', payload: { n } }));

  expect(await turnsDuring(validate('all', 'a', jobs))).toBe(0);
});
