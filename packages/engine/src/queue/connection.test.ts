import { expect, it } from 'vitest';
import { redisNodes, redisUrlProblem } from './connection.js';

it.each([
  'redis://localhost',
  'rediss://user:secret@cache.example:6380/2',
  'redis://a:1,redis://b:2, redis://c:3',
  'rediss://:secret@a,rediss://b/0',
  'a:1,b:2',
])('REDIS_URL accepts %s', (text) => {
  expect(redisUrlProblem(text)).toBeNull();
});

it.each([
  ['http://localhost', /redis:\/\//],
  ['redis://', /redis:\/\//],
  ['redis://a:1,', /comma-separated/],
  ['redis://a:1,redis://b:2/3', /not contain a database/],
  ['redis://a:1,rediss://b:2', /same scheme/],
  ['redis://:one@a,redis://:other@b', /only in the first node/],
])('REDIS_URL rejects %s', (text, why) => {
  expect(redisUrlProblem(text)).toMatch(why);
});

it('a REDIS_URL with commas contains the nodes of a cluster, and nodes after the first may omit the scheme', () => {
  const nodes = redisNodes('rediss://:secret@a:1, b:2,rediss://c:3');

  expect(nodes.map(({ protocol, host }) => `${protocol}${host}`)).toEqual(['rediss:a:1', 'rediss:b:2', 'rediss:c:3']);
});
