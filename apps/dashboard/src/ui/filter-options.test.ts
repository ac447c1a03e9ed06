import { expect, test } from 'vitest';
import { filterOptions, stepOption } from './filter-options.js';

const options = ['send_email', 'send_sms', 'resend_invite'].map((value) => ({ value, label: value }));

test('options that start with the text come before options that only contain it', () => {
  expect(filterOptions(options, ' SEND').map(({ value }) => value)).toEqual([
    'send_email',
    'send_sms',
    'resend_invite',
  ]);
  expect(filterOptions(options, 'sms').map(({ value }) => value)).toEqual(['send_sms']);
  expect(filterOptions(options, '')).toEqual(options);
});

test('the arrow keys wrap around at the ends and skip disabled options', () => {
  const some = options.map((option, index) => ({ ...option, disabled: index === 1 }));

  expect(stepOption(some, 0, 1)).toBe(2);
  expect(stepOption(some, 2, 1)).toBe(0);
  expect(stepOption(some, 0, -1)).toBe(2);
  expect(stepOption(some, -1, 1)).toBe(0);
  expect(stepOption(some, -1, -1)).toBe(2);
  expect(stepOption([], -1, 1)).toBe(-1);
});
