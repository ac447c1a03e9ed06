import { expect, it } from 'vitest';
import { untilPostgresAnswers } from './retry.js';

const away = () => Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });

it('a write is repeated until Postgres answers', async () => {
  let tries = 0;
  const write = async () => {
    if (++tries < 3) throw away();
    return 'written';
  };

  expect(await untilPostgresAnswers(write, { limitMs: 60_000 })).toBe('written');
  expect(tries).toBe(3);
});

it('a write that Postgres refuses is not repeated', async () => {
  let tries = 0;
  const write = async () => {
    tries++;
    throw new Error('the value is too long');
  };

  await expect(untilPostgresAnswers(write, { limitMs: 60_000 })).rejects.toThrow('the value is too long');
  expect(tries).toBe(1);
});

it('a write is tried once even if the signal has fired, and not again', async () => {
  let tries = 0;
  const write = async () => {
    tries++;
    throw away();
  };

  await expect(untilPostgresAnswers(write, { signal: AbortSignal.abort() })).rejects.toThrow('ECONNREFUSED');
  expect(tries).toBe(1);
});

it('the last error is thrown once the time limit has passed', async () => {
  const write = async () => {
    throw away();
  };

  await expect(untilPostgresAnswers(write, { limitMs: 0 })).rejects.toThrow('ECONNREFUSED');
});
