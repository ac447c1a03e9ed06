import Joi from 'joi';
import { expect, test } from 'vitest';
import { newPassword } from '../auth/password-fields.js';
import { email } from './fields.js';
import { bodyRule } from './validate.js';

const rule = bodyRule(Joi.object({ email: email().required(), password: newPassword().required() }));

// Behind the length there is a normalization, which takes seconds for so many marks.
test('an email that is too long is refused for its length alone, beside the faults of all other fields', () => {
  const read = rule({ email: `a${'\u0301\u0323'.repeat(50_000)}`, password: 'short', more: 1 });

  expect(read).toEqual({
    faults: [
      { path: 'email', message: '"email" length must be less than or equal to 254 characters long' },
      { path: 'password', message: '"password" length must be at least 8 characters long' },
      { path: 'more', message: '"more" is not known here' },
    ],
  });
});

test('an email is trimmed and in lower case', () => {
  expect(rule({ email: ' Ada@Example.COM ', password: 'correct horse' })).toEqual({
    value: { email: 'ada@example.com', password: 'correct horse' },
  });
});
