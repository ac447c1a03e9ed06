import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, isIPv6, type LookupFunction } from 'node:net';
import { OutboundForbidden } from '@jobline/handlers/errors';
import { parseUrl } from '@jobline/handlers/ports';
import type { Logger } from '@jobline/runtime';
import ipaddr from 'ipaddr.js';
import { buildConnector } from 'undici';
import type { NameLookup } from '../dns/name-lookup.js';

export interface Guard {
  allowList: AllowList;
  /** Looks up host names that tenants chose. */
  lookUp: NameLookup;
  /** Receives a warning for each blocked call. */
  log?: Logger | undefined;
}

/** The limit for opening a connection, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;
/** The names of this machine itself, regardless of what a name server answers. */
const LOCALHOST = /(?:^|\.)localhost\.?$/;

/**
 * The addresses that an organization's call to the host of this URL may connect to: all addresses of the name. If one
 * of them is neither public nor in an allowed network, the whole name is blocked, because one private address among public ones
 * indicates an attack. The addresses of an allowed host are not checked. Throws OutboundForbidden, the error of the lookup, or the reason of
 * the signal if the signal is aborted.
 */
export async function guardedAddresses(
  guard: Guard,
  orgId: string,
  url: URL,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const hostname = withoutBrackets(url.hostname);
  // Allowed by the operator. The host may be only in /etc/hosts.
  if (isAllowed(guard.allowList, url)) return dns.lookup(hostname, { all: true });
  if (LOCALHOST.test(hostname)) throw forbidden(guard, hostname, 'localhost');
  const family = isIP(hostname);
  const addresses = family === 0 ? await guard.lookUp(orgId, hostname, signal) : [{ address: hostname, family }];
  const bad = addresses.find(({ address }) => !isPublicAddress(address) && !guard.allowList.hasAddress(address));
  if (bad) throw forbidden(guard, hostname, bad.address);
  return addresses;
}

/** Whether the operator has listed the host of this URL. */
export function isAllowed(allowList: AllowList, url: URL): boolean {
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  return allowList.has(withoutBrackets(url.hostname), port);
}

/**
 * Opens connections for undici to exactly the addresses that were checked. The name is not looked up again, because the
 * answer may have changed. The signal cancels connections that are still being opened.
 */
export function connectorTo(addresses: readonly LookupAddress[], signal: AbortSignal): buildConnector.connector {
  // A separate constant, because the types of undici declare fewer options than sockets accept.
  const options = { timeout: CONNECT_TIMEOUT_MS, maxCachedSessions: 0, lookup: lookupIn(addresses), signal };
  const connect = buildConnector(options);
  return (target, callback) => connect({ ...target, hostname: withoutBrackets(target.hostname) }, callback);
}

/** Both forms of lookup that sockets use: all addresses (to try IPv6 and IPv4), or one. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (!first) callback(Object.assign(new Error('no address'), { code: 'ENODATA' }), []);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** The tenant learns which host was blocked. The address behind it is only for the operator. */
function forbidden({ log }: Guard, hostname: string, address: string): OutboundForbidden {
  log?.warn('outbound call blocked', { hostname, address });
  return new OutboundForbidden(
    `${hostname} is not on the public internet, and only public addresses may be called; operators allow others with OUTBOUND_ALLOW_HOSTS`,
  );
}

/** The hosts that the operator has allowed although they may be private. */
interface AllowList {
  /** Whether this host is allowed on this port. The host is spelled as in a parsed URL, without brackets. */
  has(hostname: string, port: number): boolean;
  /** Whether this IP address is in an allowed network. */
  hasAddress(address: string): boolean;
}

/**
 * Builds the list from entries: `host` (all ports), `host:port`, `*.suffix` or `*.suffix:port` (all names below it), and networks
 * such as `10.0.0.0/8`. Throws an error that names every invalid entry.
 */
export function createAllowList(entries: readonly string[]): AllowList {
  const issues = entries.map(allowHostIssue).filter((issue) => issue !== null);
  if (issues.length > 0) throw new Error(issues.join('; '));
  const networks = entries.map(toNetwork).filter((network) => network !== null);
  const allowed = new Set(entries.map(normalize));
  const hasAddress = (address: string) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.parse(address);
    return networks.some(([start, bits]) => parsed.kind() === start.kind() && parsed.match(start, bits));
  };
  return {
    has(hostname, port) {
      const names = [hostname, ...suffixesOf(hostname)];
      return names.some((name) => allowed.has(name) || allowed.has(`${name} ${port}`)) || hasAddress(hostname);
    },
    hasAddress,
  };
}

/** `a.b.example` → `*.b.example`, `*.example`. */
function suffixesOf(hostname: string): string[] {
  return [...hostname.matchAll(/\./g)].map(({ index }) => `*${hostname.slice(index)}`);
}

/** Why an entry of OUTBOUND_ALLOW_HOSTS is invalid, as a sentence; null if it is valid. */
export function allowHostIssue(entry: string): string | null {
  if (toNetwork(entry) !== null || normalize(entry) !== null) return null;
  return `"${entry}" is not a host, host:port, *.suffix or network such as 10.0.0.0/8`;
}

function toNetwork(entry: string): [ipaddr.IPv4 | ipaddr.IPv6, number] | null {
  return ipaddr.isValidCIDR(entry) ? ipaddr.parseCIDR(entry) : null;
}

/**
 * `LOCALHOST` → `localhost`, `[::1]:80` → `::1 80`, `*.Example` → `*.example`. The result is spelled as the host of a parsed URL, so
 * that equal texts mean the same host.
 */
function normalize(entry: string): string | null {
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, star = '', host, port] = /^(\*\.)?(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = host === undefined ? null : parseUrl(`http://${host}/`);
  if (!url) return null;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  const hostname = withoutBrackets(url.hostname);
  if (star && isIP(hostname)) return null;
  return port === undefined ? `${star}${hostname}` : `${star}${hostname} ${Number(port)}`;
}

/** The host as sockets expect it. URLs write IPv6 addresses in brackets: `[::1]`. */
function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}

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
