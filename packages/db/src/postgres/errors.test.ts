import pg from 'pg';
import { expect, it, test } from 'vitest';
import { isAboutData, isUnavailable, untilPostgresAnswers } from './errors.js';

/** The same error as the driver of the hot path throws it, and as Prisma throws it, also for a COMMIT. */
function errorsOf(state: string): unknown[] {
  const direct = Object.assign(new pg.DatabaseError('refused', 7, 'error'), { code: state });
  const driverAdapterError = new Error('refused', { cause: { originalCode: state, kind: 'postgres' } });
  const wrapped = Object.assign(new Error('refused'), { code: 'P2010', meta: { driverAdapterError } });
  return [direct, wrapped, driverAdapterError];
}

test.each([
  ['a value that it cannot read', '22P02'],
  ['a constraint', '23514'],
  ['a value that is too deeply nested', '54001'],
])('%s is an error of the data, which no repetition corrects', (_what, state) => {
  for (const error of errorsOf(state)) expect([isAboutData(error), isUnavailable(error)]).toEqual([true, false]);
});

test.each([
  ['a full disk', '53100'],
  ['an I/O error', '58030'],
  ['a password that was changed', '28P01'],
  ['a database that is being restored', '3D000'],
  ['a shutdown', '57P01'],
])('%s is an outage', (_what, state) => {
  for (const error of errorsOf(state)) expect([isAboutData(error), isUnavailable(error)]).toEqual([false, true]);
});

// A request is then answered with 500; the record of an attempt waits until the cause is repaired.
test.each([
  ['a column that does not exist', '42703'],
  ['a syntax error', '42601'],
  ['a privilege that is missing', '42501'],
  ['an internal error', 'XX000'],
])('%s is neither an error of the data nor an outage', (_what, state) => {
  for (const error of errorsOf(state)) expect([isAboutData(error), isUnavailable(error)]).toEqual([false, false]);
});

test.each([
  'ENETUNREACH',
  'EMFILE',
  'EADDRNOTAVAIL',
  'ECONNREFUSED',
  'EAI_FAIL',
  'CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
])('a connection that fails with %s is an outage', (code) => {
  const error = Object.assign(new Error('connect failed'), { code });

  expect([isAboutData(error), isUnavailable(error)]).toEqual([false, true]);
});

test('an error of our own code is neither an error of the data nor an outage', () => {
  const error = new TypeError("Cannot read properties of undefined (reading 'key')");

  expect([isAboutData(error), isUnavailable(error)]).toEqual([false, false]);
});

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
