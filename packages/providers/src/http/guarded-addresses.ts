import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundForbidden } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { buildConnector } from 'undici';
import { type AllowList, withoutBrackets } from './allow-list.js';
import type { NameLookup } from './name-lookup.js';
import { isPublicAddress } from './public-address.js';

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
 * of them is not public, the whole name is blocked, because one private address among public ones indicates an attack.
 * The addresses of an allowed host are not checked. Throws OutboundForbidden, the error of the lookup, or the reason of
 * the signal if the signal is aborted.
 */
export async function guardedAddresses(
  guard: Guard,
  orgId: string,
  url: URL,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const hostname = withoutBrackets(url.hostname);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  // Allowed by the operator. The host may be only in /etc/hosts.
  if (guard.allowList.has(hostname, port)) return dns.lookup(hostname, { all: true });
  if (LOCALHOST.test(hostname)) throw forbidden(guard, hostname, 'localhost');
  const family = isIP(hostname);
  const addresses = family === 0 ? await guard.lookUp(orgId, hostname, signal) : [{ address: hostname, family }];
  const bad = addresses.find(({ address }) => !isPublicAddress(address));
  if (bad) throw forbidden(guard, hostname, bad.address);
  return addresses;
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
  return new OutboundForbidden(`${hostname} is not on the public internet, and only public addresses may be called`);
}
