import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';
import { OutboundForbidden } from '@jobline/handlers/errors';
import type { Logger } from '@jobline/runtime';
import { buildConnector } from 'undici';
import { isPublicAddress } from './address.js';
import { type AllowList, withoutBrackets } from './allow-list.js';

/** Every address of a host name. */
export type Resolve = (hostname: string) => Promise<LookupAddress[]>;

export interface GuardOptions {
  allowList: AllowList;
  /** The system's resolver, unless a test gives its own. */
  resolve?: Resolve | undefined;
  log?: Logger | undefined;
}

/** How long a connection may take to come about, name and TLS included. */
const CONNECT_TIMEOUT_MS = 10_000;

/**
 * Opens connections for undici, to public addresses and to allowed hosts alone. A name is resolved once, all its
 * addresses are checked, and the socket is given those very addresses: an answer that changes between check and
 * connect is never asked for.
 */
export function createGuardedConnector(options: GuardOptions): buildConnector.connector {
  const guarded = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(options) });
  const open = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: openLookup(options) });
  return (target, callback) => {
    const hostname = withoutBrackets(target.hostname);
    const port = Number(target.port) || (target.protocol === 'https:' ? 443 : 80);
    if (options.allowList.has(hostname, port)) return open({ ...target, hostname }, callback);
    // A socket never looks up a literal, so the lookup below would not see this one.
    if (isIP(hostname) && !isPublicAddress(hostname)) return callback(forbidden(options, hostname, hostname), null);
    return guarded({ ...target, hostname }, callback);
  };
}

/** A lookup that fails when any address of the name is not public: one bad answer among good ones is an attack. */
export function guardedLookup(options: Pick<GuardOptions, 'resolve' | 'log'>): LookupFunction {
  return lookupWith(options.resolve ?? resolveBySystem, (hostname, addresses) => {
    const bad = addresses.find(({ address }) => !isPublicAddress(address));
    return bad ? forbidden(options, hostname, bad.address) : null;
  });
}

function openLookup(options: GuardOptions): LookupFunction {
  return lookupWith(options.resolve ?? resolveBySystem, () => null);
}

/** Both forms that sockets ask for: all addresses (to try IPv6 and IPv4 in turn), or one. */
function lookupWith(
  resolve: Resolve,
  fault: (hostname: string, addresses: LookupAddress[]) => Error | null,
): LookupFunction {
  return (hostname, { all }, callback) => {
    resolve(hostname).then(
      (addresses) => {
        const [first] = addresses;
        const error = first ? fault(hostname, addresses) : Object.assign(new Error('no address'), { code: 'ENODATA' });
        if (error || !first) callback(error, []);
        else if (all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error: Error) => callback(error, []),
    );
  };
}

function resolveBySystem(hostname: string): Promise<LookupAddress[]> {
  return dns.lookup(hostname, { all: true });
}

/** The tenant learns which host was refused; what it resolves to inside is the operator's alone. */
function forbidden({ log }: Pick<GuardOptions, 'log'>, hostname: string, address: string): OutboundForbidden {
  log?.warn('outbound call refused', { hostname, address });
  return new OutboundForbidden(`${hostname} is not on the public internet, and only public addresses may be called`);
}
