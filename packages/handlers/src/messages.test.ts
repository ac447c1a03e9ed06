import { expect, test } from 'vitest';
import { sendEmail } from './jobs/send_email.js';
import { issuesOf } from './payload.js';

// The rules after the length check normalize the text, which takes seconds for so many marks.
test('a recipient that is too long is rejected for its length alone, together with the issues of other fields', () => {
  const issues = issuesOf(sendEmail, { to: `a${'\u0301\u0323'.repeat(50_000)}`, subject: 'two\nlines', body: 'text' });

  expect(issues).toEqual([
    { path: 'payload.to', message: '"to" length must be less than or equal to 254 characters long' },
    { path: 'payload.subject', message: '"subject" must be one line without control characters' },
  ]);
});
