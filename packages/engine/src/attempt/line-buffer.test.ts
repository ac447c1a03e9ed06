import { expect, it } from 'vitest';
import { createLineBuffer } from './line-buffer.js';

const startedAt = new Date('2026-01-02T03:04:05.678Z');

it('the time of a log line is never before the start of its attempt or before the previous line', () => {
  const log = createLineBuffer(startedAt);
  for (let i = 0; i < 100; i++) log.write('info', `line ${i}`);

  const times = log.take().map((line) => line.at.getTime());

  expect(times[0]).toBeGreaterThanOrEqual(startedAt.getTime());
  expect(times).toEqual([...times].sort((a, b) => a - b));
});

it('log lines that could not be written come first the next time', () => {
  const log = createLineBuffer(startedAt);
  log.write('info', 'one');
  const taken = log.take();
  log.write('info', 'two');

  log.putBack(taken);

  expect(log.take().map((line) => line.message)).toEqual(['one', 'two']);
  expect(log.take()).toEqual([]);
});

it('a closed attempt log accepts only its end', () => {
  const log = createLineBuffer(startedAt);
  log.write('info', 'one');
  log.close();
  log.write('info', 'two');
  log.end('failed', 'error', 'failed');

  expect(log.take().map((line) => line.message)).toEqual(['one', 'failed']);
  expect(log.isEmpty()).toBe(true);
});

it('an attempt log accepts no lines after its end', () => {
  const log = createLineBuffer(startedAt);
  log.end('failed', 'error', 'failed');
  log.write('info', 'a handler that ignores its signal continues to log');

  expect(log.take().map((line) => line.message)).toEqual(['failed']);
});
