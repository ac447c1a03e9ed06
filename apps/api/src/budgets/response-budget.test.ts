import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import { createResponseBudget } from './response-budget.js';

const KIB = 1024;

/** A response that its client has not received. */
function unsent(sizeBytes: number) {
  const response = Object.assign(new EventEmitter(), {
    req: new EventEmitter(),
    closed: false,
    writableLength: sizeBytes,
    isCut: false,
    destroy() {
      response.isCut = true;
      return response;
    },
  });
  return response;
}

it('beyond the budget, the oldest response of the owner with the most bytes is cut', () => {
  const budget = createResponseBudget(1_000 * KIB);
  const [first, second, ofOther, third] = [unsent(400 * KIB), unsent(300 * KIB), unsent(200 * KIB), unsent(300 * KIB)];

  budget.add('a', first);
  budget.add('a', second);
  budget.add('b', ofOther);
  expect([first, second, ofOther].map(({ isCut }) => isCut)).toEqual([false, false, false]);

  budget.add('b', third);
  expect([first, second, ofOther, third].map(({ isCut }) => isCut)).toEqual([true, false, false, false]);
});

it.each([
  ['that was received', (response: ReturnType<typeof unsent>) => response.emit('close')],
  ['whose request was closed', (response: ReturnType<typeof unsent>) => response.req.emit('close')],
])('a response %s is not counted any more', (_which, end) => {
  const budget = createResponseBudget(1_000 * KIB);
  for (let n = 0; n < 10; n++) {
    const response = unsent(900 * KIB);
    budget.add('a', response);
    end(response);
    expect(response.isCut).toBe(false);
  }
});

it('a response whose client is gone already is not counted', () => {
  const budget = createResponseBudget(1_000 * KIB);
  for (let n = 0; n < 10; n++) budget.add('a', Object.assign(unsent(900 * KIB), { closed: true }));
  const [older, newer] = [unsent(500 * KIB), unsent(400 * KIB)];
  budget.add('a', older);
  budget.add('a', newer);

  expect(older.isCut).toBe(false);
});

it('a single response may be larger than the budget, and small responses are not counted', () => {
  const budget = createResponseBudget(100 * KIB);
  const large = unsent(500 * KIB);
  budget.add('a', large);
  for (let n = 0; n < 10; n++) budget.add('b', unsent(60 * KIB));

  expect(large.isCut).toBe(false);
});
