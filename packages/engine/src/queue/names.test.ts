import { expect, it } from 'vitest';
import { entryKey } from './bullmq-keys.js';
import { queuePrefix, sentinelKey } from './names.js';

it('the Redis keys of a queue have the same hash tag', () => {
  const tag = '{jobline-io}';
  expect(queuePrefix('jobline', 'io')).toBe(tag);
  expect(sentinelKey('jobline', 'io')).toBe(`${tag}:sentinel`);
  expect(entryKey('jobline', 'io', 'x-1')).toBe(`${tag}:io:x-1`);
  expect(queuePrefix('jobline', 'cpu')).not.toBe(tag);
});
