import ipaddr from 'ipaddr.js';

/** The range that IANA has allocated for global unicast. All other IPv6 addresses are special or unassigned. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure serves metadata and agent commands to its virtual machines at this address, although its range is public. */
const PUBLIC_METADATA = ['168.63.129.16'];

/**
 * Whether an IP address is globally routable unicast: not private, loopback, link-local, shared, multicast, reserved,
 * for documentation or for metadata. An IPv6 address that embeds an IPv4 address (mapped, compatible, NAT64, 6to4,
 * Teredo) is never public, because a gateway could unpack it after the check. Neither is a text that is not an address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || PUBLIC_METADATA.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}
