import type { LookupAddress } from 'node:dns';
import { expect, test } from 'vitest';
import { guardedLookup, type Resolve } from './guarded-connector.js';

const PUBLIC_V4 = { address: '93.184.215.14', family: 4 };
const PUBLIC_V6 = { address: '2606:2800:21f::1', family: 6 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };

test('a socket is given the very addresses that were checked, all of them or the first', async () => {
  const resolve = answering([PUBLIC_V6, PUBLIC_V4]);

  expect(await lookup(resolve, true)).toEqual([PUBLIC_V6, PUBLIC_V4]);
  expect(await lookup(resolve, false)).toEqual([PUBLIC_V6.address, PUBLIC_V6.family]);
});

test('one address that is not public refuses the whole name', async () => {
  await expect(lookup(answering([PUBLIC_V4, LOOPBACK]), true)).rejects.toMatchObject({ code: 'outbound_forbidden' });
  await expect(lookup(answering([PUBLIC_V4, LOOPBACK]), false)).rejects.toMatchObject({ code: 'outbound_forbidden' });
});

// Rebinding: public when it is checked, loopback a moment later.
test('a name is resolved once for a connection, and checked again for the next one', async () => {
  const asked: string[] = [];
  const rebinding: Resolve = async (hostname) => {
    asked.push(hostname);
    return [asked.length === 1 ? PUBLIC_V4 : LOOPBACK];
  };

  expect(await lookup(rebinding, true)).toEqual([PUBLIC_V4]);
  expect(asked).toEqual(['user-chosen.example']);
  await expect(lookup(rebinding, true)).rejects.toMatchObject({ code: 'outbound_forbidden' });
});

test('the tenant learns the host alone, the operator the address too', async () => {
  const warnings: unknown[] = [];
  const log = { debug() {}, info() {}, error() {}, warn: (...line: unknown[]) => void warnings.push(line) };

  await expect(lookup(answering([LOOPBACK]), true, log)).rejects.toThrow(
    'user-chosen.example is not on the public internet, and only public addresses may be called',
  );

  expect(warnings).toEqual([['outbound call refused', { hostname: 'user-chosen.example', address: '127.0.0.1' }]]);
});

test('a name that has no address, or that does not resolve, is an error', async () => {
  const failing: Resolve = () => Promise.reject(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }));

  await expect(lookup(answering([]), true)).rejects.toMatchObject({ code: 'ENODATA' });
  await expect(lookup(failing, true)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

function answering(addresses: LookupAddress[]): Resolve {
  return async () => addresses;
}

function lookup(resolve: Resolve, all: boolean, log?: Parameters<typeof guardedLookup>[0]['log']): Promise<unknown> {
  return new Promise((done, fail) => {
    guardedLookup({ resolve, log })('user-chosen.example', { all }, (error, address, family) => {
      if (error) fail(error);
      else done(all ? address : [address, family]);
    });
  });
}
