import { expect, it } from 'vitest';
import { createPasswords } from './password.js';

const passwords = createPasswords({ cost: 4 });

// Passwords must not use all of Node's threads: DNS and files need some. The last password must not wait too long.
it('a flood of passwords is rejected beyond what can be verified soon', async () => {
  const answers = await Promise.allSettled(Array.from({ length: 105 }, () => passwords.verify('a password', null)));

  expect(answers.slice(0, 103)).toEqual(Array(103).fill({ status: 'fulfilled', value: false }));
  for (const answer of answers.slice(103))
    expect(answer).toMatchObject({ reason: { code: 'rate_limited', headers: { 'Retry-After': '5' } } });
  expect(await passwords.verify('a password', await passwords.hash('a password'))).toBe(true);
});
