import { isIP } from 'node:net';

/**
 * The key under which an address is counted. An IPv6 address is counted as its /64, because one customer usually has a
 * whole /64. All texts that are not an address share one key.
 */
export function addressKey(ip: string | undefined): string {
  const [, six, four] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d+)?$/.exec(ip ?? '') ?? [];
  const [address = ''] = (six ?? four ?? ip ?? '').split('%', 1); // some proxies add the port
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return 'unknown';
  const groups = groupsOf(address);
  const mapped = /^0:0:0:0:0:ffff:(\w+):(\w+)$/.exec(groups.join(':'));
  if (mapped) return mapped.slice(1).flatMap(bytesOf).join('.');
  return `${groups.slice(0, 4).join(':')}::`;
}

/** The /48 that contains a key that is a /64, because one site may own the whole /48. Null for other keys. */
export function networkKey(key: string): string | null {
  const [six] = /^(?:\w+:){3}/.exec(key) ?? [];
  return six ? `${six}:` : null;
}

/** All eight groups without leading zeros. The host of a URL has this form, except for the longest run of zeros. */
function groupsOf(address: string): string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail ? tail.split(':') : [];
  return [...before, ...Array<string>(8 - before.length - after.length).fill('0'), ...after];
}

function bytesOf(group: string): number[] {
  const value = Number.parseInt(group, 16);
  return [value >> 8, value & 0xff];
}
