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
  /** How the names are looked up that tenants chose. */
  lookUp: NameLookup;
  /** Told of refused calls. */
  log?: Logger | undefined;
}

/** How long a connection may take to come about, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;
/** Names of this machine itself, whatever a name server says of them. */
const LOCALHOST = /(?:^|\.)localhost\.?$/;

/**
 * The addresses that a call of an organization to this URL's host may be connected to: all that the name has. One that is
 * not public refuses the whole name, because one bad address among good ones is an attack; those of an allowed host are
 * not looked at. Throws OutboundForbidden, what the lookup says, and the signal's reason when that fired.
 */
export async function guardedAddresses(
  guard: Guard,
  orgId: string,
  url: URL,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  const hostname = withoutBrackets(url.hostname);
  const port = Number(url.port) || (url.protocol === 'https:' ? 443 : 80);
  // The operator's own choice, which may be in /etc/hosts only.
  if (guard.allowList.has(hostname, port)) return dns.lookup(hostname, { all: true });
  if (LOCALHOST.test(hostname)) throw forbidden(guard, hostname, 'localhost');
  const family = isIP(hostname);
  const addresses = family === 0 ? await guard.lookUp(orgId, hostname, signal) : [{ address: hostname, family }];
  const bad = addresses.find(({ address }) => !isPublicAddress(address));
  if (bad) throw forbidden(guard, hostname, bad.address);
  return addresses;
}

/**
 * Opens connections for undici to these addresses alone, the very ones that were checked: no name is looked up again, whose
 * answer may have changed. The signal ends what is still being opened.
 */
export function connectorTo(addresses: readonly LookupAddress[], signal: AbortSignal): buildConnector.connector {
  // In one piece with a name of its own, because the types of undici know fewer options than the sockets.
  const options = { timeout: CONNECT_TIMEOUT_MS, maxCachedSessions: 0, lookup: lookupIn(addresses), signal };
  const connect = buildConnector(options);
  return (target, callback) => connect({ ...target, hostname: withoutBrackets(target.hostname) }, callback);
}

/** Both forms that sockets ask for: all addresses (to try IPv6 and IPv4 in turn), or one. */
function lookupIn(addresses: readonly LookupAddress[]): LookupFunction {
  return (_hostname, { all }, callback) => {
    const [first] = addresses;
    if (!first) callback(Object.assign(new Error('no address'), { code: 'ENODATA' }), []);
    else if (all) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  };
}

/** The tenant learns which host was refused; what it resolves to inside is the operator's alone. */
function forbidden({ log }: Guard, hostname: string, address: string): OutboundForbidden {
  log?.warn('outbound call refused', { hostname, address });
  return new OutboundForbidden(`${hostname} is not on the public internet, and only public addresses may be called`);
}
