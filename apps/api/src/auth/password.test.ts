import { expect, it } from 'vitest';
import { concurrentHashes, createPasswords } from './password.js';

const passwords = createPasswords({ cost: 4 });
const verify = (ip: string) => passwords.verify('a password', null, ip);

// Passwords must not use all of Node's threads: DNS and files need some. The last password must not wait too long.
it('a flood of passwords of one address is rejected beyond what can be verified soon, and other addresses are served', async () => {
  const flood = Array.from({ length: 105 }, () => verify('192.0.2.1'));
  const other = verify('192.0.2.2');
  const answers = await Promise.allSettled(flood);

  const rejected = answers.filter(({ status }) => status === 'rejected');
  expect(rejected.length).toBeGreaterThanOrEqual(3);
  expect(answers.slice(0, -rejected.length)).toEqual(
    Array(105 - rejected.length).fill({ status: 'fulfilled', value: false }),
  );
  for (const answer of rejected)
    expect(answer).toMatchObject({ reason: { code: 'rate_limited', headers: { 'Retry-After': '5' } } });
  expect(await other).toBe(false);
  const hash = await passwords.hash('a password', null);
  expect(await passwords.verify('a password', hash, null)).toBe(true);
});

it('addresses take turns', async () => {
  const ended: string[] = [];
  const ask = (ip: string) => verify(ip).then(() => ended.push(ip));
  await Promise.all([...Array.from({ length: 30 }, () => ask('192.0.2.1')), ask('192.0.2.2'), ask('192.0.2.3')]);

  // Two that were running, and at most one more for each of the other addresses.
  expect(ended.indexOf('192.0.2.2')).toBeLessThan(6);
  expect(ended.indexOf('192.0.2.3')).toBeLessThan(7);
});

it('hashes leave a processor to everything else, and half of the threads of Node', () => {
  expect([1, 2, 3, 4, 64].map(concurrentHashes)).toEqual([1, 1, 2, 2, 2]);
});
