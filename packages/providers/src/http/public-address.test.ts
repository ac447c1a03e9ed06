import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './public-address.js';

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
