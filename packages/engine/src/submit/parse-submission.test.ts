import { LIMITS, RESERVED_IDS } from '@jobline/contracts';
import { expect, test } from 'vitest';
import { readPlainSubmission, submissionSchemas } from './parse-submission.js';
import { bodyValidator } from './validate.js';

const validate = bodyValidator(submissionSchemas[0]);

const ABSENT = Symbol('absent');
const NAMES = [ABSENT, 'a', 'a.b-c_d:e', '', ' a', 'a\n', 'ä', 'x'.repeat(128), 'x'.repeat(129), 1, null, true, [], {}];
const NUMBERS = [ABSENT, 0, -0, 1, 9, 10, 11, -1, 1.5, 2 ** 53, 1e300, '1', '', null, true, [], {}];
const VALUES: Record<string, readonly unknown[]> = {
  id: [...NAMES, ...RESERVED_IDS],
  type: NAMES,
  payload: [{}, { a: 1 }, JSON.parse('{"__proto__":{"a":1},"b":[{}]}'), ABSENT, null, [], '{}', 1],
  max_retries: [...NUMBERS, LIMITS.maxRetries, LIMITS.maxRetries + 1],
  priority: [...NUMBERS, LIMITS.maxPriority, LIMITS.maxPriority + 1],
  tags: [
    ABSENT,
    [],
    ['a'],
    ['a', 'b:@/+=-'],
    ['a', 'a'],
    ['', 'a'],
    ['ä'],
    ['a\n'],
    ['x'.repeat(65)],
    [1],
    [null],
    'a',
    null,
    {},
  ],
  key: [ABSENT, 'a', ' ä ', '', 'a\n', '\ud800', 'x'.repeat(200), 'x'.repeat(201), '😀'.repeat(200), 1, null, [], {}],
  limit: [...NAMES, 'x'.repeat(64), 'x'.repeat(65)],
  run_at: [ABSENT, ABSENT, ABSENT, '2026-01-31T12:00:00Z'],
  more: [ABSENT, ABSENT, ABSENT, 1],
};

/** Returns every body in which at most two fields differ from a valid body. */
function* bodies(): Generator<Record<string, unknown>> {
  const valid: Record<string, unknown> = { type: 'a', payload: { a: 1 } };
  const fields = Object.entries(VALUES);
  for (const [one, oneValues] of fields) {
    for (const [other, otherValues] of fields) {
      for (const value of oneValues) {
        for (const otherValue of otherValues) {
          const body = Object.entries({ ...valid, [one]: value, [other]: otherValue });
          yield Object.fromEntries(body.filter(([, own]) => own !== ABSENT));
        }
      }
    }
  }
}

test('a plain submission is read as the schema reads it, and no body that the schema rejects is read', () => {
  let read = 0;
  let rejected = 0;
  for (const body of bodies()) {
    const validated = validate(body);
    const plain = readPlainSubmission(body);
    if (plain) {
      read++;
      expect({ value: withoutUndefined(plain) }).toStrictEqual(validated);
      expect('value' in validated && validated.value.payload).toBe(plain.payload);
    } else if ('issues' in validated) rejected++;
  }

  expect(read).toBeGreaterThan(500);
  expect(rejected).toBeGreaterThan(500);
});

test('every usual submission is read without the schema', () => {
  expect(readPlainSubmission({ type: 'a', payload: {} })).not.toBeNull();
  expect(readPlainSubmission({ id: 'x', type: 'a', payload: {}, max_retries: 3, priority: 9 })).not.toBeNull();
  const labels = { tags: ['a', 'b'], key: 'customer 1', limit: 'reports' };
  expect(readPlainSubmission({ type: 'a', payload: {}, ...labels })).not.toBeNull();
});

function withoutUndefined(value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([, own]) => own !== undefined));
}
