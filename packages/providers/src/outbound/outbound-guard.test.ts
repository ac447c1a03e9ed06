import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import {
  allowHostIssue,
  connectorTo,
  createAllowList,
  type Guard,
  guardedAddresses,
  isPublicAddress,
} from './outbound-guard.js';

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

test('an entry without a port allows every port of exactly that host', () => {
  const list = createAllowList(['LocalHost', '10.0.0.5']);

  expect(list.has('localhost', 80)).toBe(true);
  expect(list.has('localhost', 8080)).toBe(true);
  expect(list.has('10.0.0.5', 443)).toBe(true);
  expect(list.has('localhost.', 80)).toBe(false);
  expect(list.has('sub.localhost', 80)).toBe(false);
  expect(list.has('10.0.0.50', 80)).toBe(false);
});

test('an entry with a port allows only that port', () => {
  const list = createAllowList(['localhost:8080']);

  expect(list.has('localhost', 8080)).toBe(true);
  expect(list.has('localhost', 80)).toBe(false);
});

test.each(['::1', '[::1]', '0:0:0:0:0:0:0:1', '[::1]:443', '[0:0::1]:443'])('%s opens the IPv6 host ::1', (entry) => {
  expect(createAllowList([entry]).has('::1', 443)).toBe(true);
});

test('an unusual spelling allows the address that it means', () => {
  expect(createAllowList(['0x7f.1:80']).has('127.0.0.1', 80)).toBe(true);
});

test.each([
  '',
  '*',
  '*.',
  '*.10.0.0.1',
  'a.*.example',
  '10.0.0.0/33',
  'http://localhost',
  'localhost/path',
  'user@localhost',
  'a b',
  'localhost:0',
  'localhost:70000',
  'localhost:http',
  '[::1',
  '256.1.1.1',
])('the entry "%s" is invalid', (entry) => {
  expect(allowHostIssue(entry)).toContain('is not a host, host:port, *.suffix or network');
});

test('an entry with a star allows every name below it, and not the name itself', () => {
  const list = createAllowList(['*.Internal.example', '*.shop.example:8443']);

  expect(list.has('erp.internal.example', 80)).toBe(true);
  expect(list.has('a.b.internal.example', 443)).toBe(true);
  expect(list.has('internal.example', 80)).toBe(false);
  expect(list.has('erp-internal.example', 80)).toBe(false);
  expect(list.has('a.shop.example', 8443)).toBe(true);
  expect(list.has('a.shop.example', 443)).toBe(false);
});

test('a network allows its addresses, and names all of whose addresses are in it or public', async () => {
  const allowList = createAllowList(['10.1.0.0/16', 'fd00:1::/32']);
  const to = (...found: string[]) =>
    addresses({ allowList, lookUp: async () => found.map((address) => ({ address, family: 4 })) });

  expect(allowList.has('10.1.2.3', 80)).toBe(true);
  expect(allowList.has('fd00:1::7', 80)).toBe(true);
  expect(allowList.has('10.2.0.1', 80)).toBe(false);
  expect(await to('10.1.0.9', '93.184.215.14')).toHaveLength(2);
  await expect(to('10.1.0.9', '10.2.0.1')).rejects.toThrow(/operators allow others with OUTBOUND_ALLOW_HOSTS/);
});

test('every invalid entry is named in the error', () => {
  expect(() => createAllowList(['localhost', '*', 'a b'])).toThrow(/"\*" is not a host.*; "a b" is not/);
});

const PUBLIC = [
  '1.1.1.1',
  '8.8.8.8',
  '172.15.255.255',
  '172.32.0.1',
  '100.63.255.255',
  '2606:4700::1111',
  '2a00:1450::1',
];

const NOT_PUBLIC = {
  'this network': ['0.0.0.0', '0.1.2.3'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  'link-local, metadata included': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', 'febf::1'],
  shared: ['100.64.0.1', '100.127.255.255', '100.100.100.200'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'broadcast and reserved': ['255.255.255.255', '240.0.0.1', '192.0.0.192', '192.88.99.1'],
  'documentation and benchmarks': [
    '192.0.2.1',
    '198.51.100.1',
    '203.0.113.1',
    '198.18.0.1',
    '198.19.255.255',
    '2001:db8::1',
    '3fff::1',
    '2001:2::1',
  ],
  'metadata in a public range': ['168.63.129.16'],
  'IPv4-mapped, of a public address too': ['::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:8.8.8.8'],
  'IPv4-compatible and -translated': ['::127.0.0.1', '::7f00:1', '::ffff:0:127.0.0.1'],
  NAT64: ['64:ff9b::7f00:1', '64:ff9b::8.8.8.8', '64:ff9b:1::1'],
  '6to4 and Teredo': ['2002:7f00:1::', '2002:808:808::1', '2001::1', '2001:0:53aa:64c::1'],
  'unique-local and site-local': ['fc00::1', 'fd00:ec2::254', 'fec0::1'],
  'unspecified, discard and unassigned': ['::', '100::1', '4000::1', '5f00::1', 'e000::1'],
  'invalid addresses': ['', 'localhost', '127.0.0.1:80', '[::1]', '1.2.3.4.5'],
};

describe('an IP address', () => {
  test.each(PUBLIC)('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  test.each(Object.entries(NOT_PUBLIC))('in the range "%s" is not public', (_range, addresses) => {
    expect(addresses.filter(isPublicAddress)).toEqual([]);
  });
});
