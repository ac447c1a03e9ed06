import { bodyValidator } from '@jobline/engine';
import Joi from 'joi';
import { expect, test } from 'vitest';
import { newPassword } from '../auth/password.js';
import { email } from './fields.js';

const rule = bodyValidator(Joi.object({ email: email().required(), password: newPassword().required() }));

// The rules after the length normalize the text, which takes seconds for this many marks.
test('an email that is too long is rejected for its length alone, together with the issues of the other fields', () => {
  const read = rule({ email: `a${'\u0301\u0323'.repeat(50_000)}`, password: 'short', more: 1 });

  expect(read).toEqual({
    issues: [
      { path: 'email', message: '"email" length must be less than or equal to 254 characters long' },
      { path: 'password', message: '"password" length must be at least 8 characters long' },
      { path: 'more', message: '"more" is not allowed' },
    ],
  });
});

test('an email is trimmed and converted to lower case', () => {
  expect(rule({ email: ' Ada@Example.COM ', password: 'correct horse' })).toEqual({
    value: { email: 'ada@example.com', password: 'correct horse' },
  });
});
