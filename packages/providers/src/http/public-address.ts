import ipaddr from 'ipaddr.js';

/** What the IANA has opened for global unicast. Everything else in IPv6 is special or not assigned. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3');

/** Azure answers its virtual machines there, metadata and agent commands included, although the range is public. */
const PUBLIC_METADATA = ['168.63.129.16'];

/**
 * Whether an IP address is globally routable unicast: not private, loopback, link-local, shared, multicast, reserved,
 * for documentation or for metadata. An IPv6 address that carries an IPv4 one (mapped, compatible, NAT64, 6to4, Teredo)
 * is refused whatever it carries: a gateway on the way would unpack it after the check. So is what is no address.
 */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address) || PUBLIC_METADATA.includes(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed instanceof ipaddr.IPv4 || parsed.match(GLOBAL_IPV6);
}
