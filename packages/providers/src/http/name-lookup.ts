import { promises as dns, type LookupAddress } from 'node:dns';
import { HandlerError } from '@jobline/handlers/errors';
import { limitConcurrencyPerKey } from '../limit-concurrency.js';

export interface NameLookupOptions {
  /** `address` or `address:port` of name servers; none: those of this machine. */
  servers?: readonly string[] | undefined;
  /** Of the first try; later ones wait longer. */
  timeoutMs?: number | undefined;
  tries?: number | undefined;
}

/**
 * Every address of a host name, IPv4 first, looked up anew each time. Rejects with the code ENOTFOUND where there is none,
 * EAI_AGAIN where no name server could say, and with the signal's reason as soon as that fires.
 */
export type NameLookup = (orgId: string, hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** So many lookups of an organization are under way at once in a process. */
export const LOOKUPS_AT_ONCE = 10;
/** So many wait behind those: more than a process usually has jobs. */
const MAX_WAITING_LOOKUPS = 1_000;

/** What name servers say of a name that has no address. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Looks names up that tenants chose: over sockets of its own, never in the few threads that all other lookups and files of
 * the process share, so that a name server which does not answer delays nobody but the organization that named it.
 */
export function createNameLookup(options: NameLookupOptions = {}): NameLookup {
  const limit = limitConcurrencyPerKey({
    maxRunning: LOOKUPS_AT_ONCE,
    maxWaiting: MAX_WAITING_LOOKUPS,
    queueFull: tooMany,
  });
  return (orgId, hostname, signal) => limit(orgId, signal, () => lookUp(hostname, options, signal));
}

function tooMany(): HandlerError {
  return new HandlerError('provider_unavailable', 'too many names of the organization wait to be looked up');
}

async function lookUp(
  hostname: string,
  { servers = [], timeoutMs = TIMEOUT_MS, tries = TRIES }: NameLookupOptions,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  // One for each lookup: canceling ends all that a resolver does, and one that has seen its server fail would not ask it
  // again for a while.
  const resolver = new dns.Resolver({ timeout: timeoutMs, tries });
  if (servers.length > 0) resolver.setServers(servers);
  const cancel = () => resolver.cancel();
  signal.addEventListener('abort', cancel, { once: true });
  try {
    const answers = await Promise.allSettled([
      addresses(resolver.resolve4(hostname), 4),
      addresses(resolver.resolve6(hostname), 6),
    ]);
    signal.throwIfAborted();
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    throw failureOf(answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason] : [])));
  } finally {
    signal.removeEventListener('abort', cancel);
  }
}

async function addresses(answer: Promise<string[]>, family: 4 | 6): Promise<LookupAddress[]> {
  return (await answer).map((address) => ({ address, family }));
}

/** In the codes of the system's own lookup, so that both are read alike. */
function failureOf(causes: readonly unknown[]): Error {
  const unknown = causes.find((cause) => !ABSENT.has(codeOf(cause)));
  if (unknown === undefined) return Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
  const error = new Error('no name server could look the name up', { cause: unknown });
  return Object.assign(error, { code: 'EAI_AGAIN' });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
