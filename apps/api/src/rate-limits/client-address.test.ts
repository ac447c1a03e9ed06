import { expect, it } from 'vitest';
import { addressKey, networkKey } from './client-address.js';

it.each([
  ['192.0.2.1', '192.0.2.1'],
  ['192.0.2.1:4711', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::'],
  ['2001:DB8:1:2::', '2001:db8:1:2::'],
  ['[2001:db8:1:2::7]:443', '2001:db8:1:2::'],
  ['2001:db8::1', '2001:db8:0:0::'],
  ['fe80::1%eth0', 'fe80:0:0:0::'],
  ['::1', '0:0:0:0::'],
  ['::', '0:0:0:0::'],
  ['garbage', 'unknown'],
  ['999.1.1.1', 'unknown'],
  ['', 'unknown'],
  [undefined, 'unknown'],
])('%s is counted as %s', (ip, key) => {
  expect(addressKey(ip)).toBe(key);
});

it.each([
  ['2001:db8:1:2::', '2001:db8:1::'],
  ['2001:db8:0:0::', '2001:db8:0::'],
  ['192.0.2.1', null],
  ['unknown', null],
])('%s is of the network %s', (key, network) => {
  expect(networkKey(key)).toBe(network);
});
