import { createCatalogue, defineHandler } from '@jobline/handlers';
import { expect, test } from 'vitest';
import {
  DEFAULT_QUEUES,
  MAX_QUEUES,
  parseQueues,
  parseTypes,
  queuesOf,
  takesType,
  unmatchedTypes,
  unusedQueues,
} from './queues.js';

const handler = (type: string, queue: string) => defineHandler({ type, queue, run: async () => null });
const withOwn = (...own: ReturnType<typeof handler>[]) =>
  new Map([...createCatalogue(), ...own.map((one) => [one.type, one] as const)]);
const taken = (text: string) => Object.fromEntries(parseQueues(text));

test('WORKER_QUEUES names any queues; deliveries keep their default unless it names events', () => {
  expect(taken('io:20, reports:2')).toEqual({ io: 20, reports: 2, events: 200 });
  expect(taken('a-1:9999,events:5')).toEqual({ 'a-1': 9999, events: 5 });
  expect(taken('reports:2,events:0')).toEqual({ reports: 2 });
});

test.each([
  'io',
  'io:0',
  'io:',
  'io:x',
  'io:10000',
  'io:1,io:2',
  'events:1,events:1',
  'Io:1',
  '1io:1',
  'a_b:1',
  ':1',
  'io:1,',
  'a:b:1',
  `a${'b'.repeat(32)}:1`,
])('WORKER_QUEUES rejects %s', (text) => {
  expect(() => parseQueues(text)).toThrow('write queue:concurrency');
});

test('a worker takes at least one queue, and no more than the limit', () => {
  const names = (count: number) => Array.from({ length: count }, (_, n) => `q${n}:1`).join();
  expect(() => parseQueues('events:0')).toThrow('must name 1 to 32 queues');
  expect(parseQueues(`${names(MAX_QUEUES)},events:0`).size).toBe(MAX_QUEUES);
  expect(() => parseQueues(`${names(MAX_QUEUES + 1)},events:0`)).toThrow('must name 1 to 32 queues');
  const many = withOwn(...Array.from({ length: MAX_QUEUES }, (_, n) => handler(`t${n}`, `q${n}`)));
  expect(() => queuesOf({ WORKER_QUEUES: DEFAULT_QUEUES, WORKER_TYPES: [] }, many)).toThrow(
    'the handlers and WORKER_QUEUES name 36 queues together; the limit is 32',
  );
});

test('a worker without WORKER_QUEUES also takes the queues of its own handlers that it takes, two at a time', () => {
  const catalogue = withOwn(handler('report', 'reports'), handler('mail', 'io'), handler('other', 'others'));
  const of = (text: string | null, types = '*') =>
    Object.fromEntries(
      queuesOf(
        { WORKER_QUEUES: text === null ? DEFAULT_QUEUES : parseQueues(text), WORKER_TYPES: parseTypes(types) },
        catalogue,
      ),
    );

  expect(of(null)).toEqual({ io: 200, cpu: 2, browser: 2, events: 200, reports: 2, others: 2 });
  expect(of(null, 'rep*')).toEqual({ io: 200, cpu: 2, browser: 2, events: 200, reports: 2 });
  expect(of('io:1')).toEqual({ io: 1, events: 200 });
});

test('WORKER_TYPES names types and beginnings of types', () => {
  const patterns = parseTypes('mail, report.*');
  const own = ['mail', 'mails', 'report.', 'report.day', 'xreport.day', 'webhook'];

  expect(own.filter((type) => takesType(patterns, type))).toEqual(['mail', 'report.', 'report.day']);
  expect(own.every((type) => takesType(parseTypes('*'), type) && takesType([], type))).toBe(true);
  expect(takesType(patterns, '*deliver_event')).toBe(true);
  expect(unmatchedTypes([...patterns, 'web*', 'nothing', 'none*'], withOwn(handler('mail', 'io')))).toEqual([
    'report.*',
    'nothing',
    'none*',
  ]);
  for (const text of ['a b', 'a,', '**', 'a*b', ''])
    expect(() => parseTypes(text), text).toThrow('write the names of job types');
});

test('a queue that no handler of the worker is in is a mistake, unless the default names it', () => {
  const catalogue = withOwn(handler('report', 'reports'));
  const settings = { WORKER_QUEUES: parseQueues('io:1,reports:2,reprots:2'), WORKER_TYPES: ['report'] };
  expect(unusedQueues(settings, catalogue)).toEqual(['io', 'reprots']);
  expect(unusedQueues({ ...settings, WORKER_QUEUES: DEFAULT_QUEUES }, catalogue)).toEqual([]);
});
