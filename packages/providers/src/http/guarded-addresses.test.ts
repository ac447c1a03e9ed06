import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { expect, test } from 'vitest';
import { createAllowList } from './allow-list.js';
import { connectorTo, type Guard, guardedAddresses } from './guarded-addresses.js';

const PUBLIC_V4 = { address: '93.184.215.14', family: 4 };
const PUBLIC_V6 = { address: '2606:2800:21f::1', family: 6 };
const LOOPBACK = { address: '127.0.0.1', family: 4 };
const never = new AbortController().signal;

test('every address of a public name may be used', async () => {
  expect(await addresses({ lookUp: async () => [PUBLIC_V6, PUBLIC_V4] })).toEqual([PUBLIC_V6, PUBLIC_V4]);
});

test('one address that is not public blocks the whole name', async () => {
  const lookUp = async () => [PUBLIC_V4, LOOPBACK];

  await expect(addresses({ lookUp })).rejects.toMatchObject({ code: 'outbound_forbidden' });
});

test('a name is looked up for the calling organization, and errors of the lookup are passed on', async () => {
  const asked: string[] = [];
  const failure = Object.assign(new Error('no such name'), { code: 'ENOTFOUND' });
  const lookUp: Guard['lookUp'] = (orgId, hostname) => {
    asked.push(`${orgId} ${hostname}`);
    return Promise.reject(failure);
  };

  await expect(addresses({ lookUp })).rejects.toBe(failure);
  expect(asked).toEqual(['org-7 user-chosen.example']);
});

test('an IP address instead of a name is checked without a lookup', async () => {
  const lookUp = () => Promise.reject(new Error('it was looked up'));

  expect(await addresses({ lookUp }, 'http://93.184.215.14/')).toEqual([PUBLIC_V4]);
  expect(await addresses({ lookUp }, 'http://[2606:2800:21f::1]:8080/')).toEqual([PUBLIC_V6]);
  await expect(addresses({ lookUp }, 'http://[::1]/')).rejects.toMatchObject({ code: 'outbound_forbidden' });
});

// DNS rebinding: a name is public when it is checked and private a moment later. So it is not looked up again.
test('a connection uses the addresses that were checked, not the name', async () => {
  const server = createServer((_request, response) => response.end('here')).listen(0, '127.0.0.1');
  await once(server, 'listening');
  // The cast: a string is the address of a pipe, and this server listens on TCP.
  const { port } = server.address() as AddressInfo;
  const client = new Client(`http://user-chosen.example:${port}`, { connect: connectorTo([LOOPBACK], never) });
  try {
    const { body } = await client.request({ path: '/', method: 'GET' });
    expect(await body.text()).toBe('here');
  } finally {
    await client.destroy();
    server.close();
  }
});

function addresses(guard: Partial<Guard>, url = 'https://user-chosen.example/') {
  const lookUp = async () => [];
  return guardedAddresses({ allowList: createAllowList([]), lookUp, ...guard }, 'org-7', new URL(url), never);
}
