import { expect, it } from 'vitest';
import { entryKey } from './bullmq-keys.js';
import { queuePrefix, sentinelKey } from './names.js';

it('two installations in one Redis have different keys, whatever their prefixes and queues are', () => {
  expect(queuePrefix('jobline', 'test-io')).not.toBe(queuePrefix('jobline-test', 'io'));
  expect(queuePrefix('jobline', 'a-b')).not.toBe(queuePrefix('jobline', 'a'));
});

it('the Redis keys of a queue have the same hash tag', () => {
  const tag = '{jobline-io}';
  expect(queuePrefix('jobline', 'io')).toBe(tag);
  expect(sentinelKey('jobline', 'io')).toBe(`${tag}:sentinel`);
  expect(entryKey('jobline', 'io', 'x-1')).toBe(`${tag}:io:x-1`);
  expect(queuePrefix('jobline', 'cpu')).not.toBe(tag);
});
