import { promises as dns, type LookupAddress } from 'node:dns';
import { HandlerError } from '@jobline/handlers/errors';
import { createFairLimiter } from '@jobline/runtime';

export interface NameLookupOptions {
  /** The name servers, each as `address` or `address:port`. Absent: those of this machine. */
  servers?: readonly string[] | undefined;
  /** The limit of the first try. Later tries wait longer. */
  timeoutMs?: number | undefined;
  tries?: number | undefined;
}

/**
 * All addresses of a host name, IPv4 first. Nothing is cached. Rejects with the code ENOTFOUND if the name has no
 * address, with EAI_AGAIN if no name server could answer, and with the reason of the signal as soon as the signal is
 * aborted.
 */
export type NameLookup = (orgId: string, hostname: string, signal: AbortSignal) => Promise<LookupAddress[]>;

const TIMEOUT_MS = 2_000;
const TRIES = 2;
/** How many lookups of one organization a process runs at a time. */
const MAX_RUNNING_LOOKUPS = 10;
/** How many more may wait: more than a process usually has jobs. */
const MAX_WAITING_LOOKUPS = 1_000;

/** The codes for a name that has no address. */
const ABSENT: ReadonlySet<string> = new Set(['ENOTFOUND', 'ENODATA', 'EBADNAME']);

/**
 * Looks up names that tenants chose. It uses its own sockets and not the few threads that all other lookups and file
 * accesses of the process share, so a name server that does not answer delays only the organization that named it.
 */
export function createNameLookup(options: NameLookupOptions = {}): NameLookup {
  const limiter = createFairLimiter({ perOwner: MAX_RUNNING_LOOKUPS, maxQueued: MAX_WAITING_LOOKUPS, tooMany });
  return (orgId, hostname, signal) => limiter.run(() => lookUp(hostname, options, signal), { owner: orgId, signal });
}

function tooMany(): HandlerError {
  return new HandlerError('provider_unavailable', 'too many DNS lookups of the organization are waiting');
}

async function lookUp(
  hostname: string,
  { servers = [], timeoutMs = TIMEOUT_MS, tries = TRIES }: NameLookupOptions,
  signal: AbortSignal,
): Promise<LookupAddress[]> {
  // One resolver per lookup: canceling a resolver ends all of its queries, and a resolver does not query a server again
  // for a while after it has failed.
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

/** Uses the codes of the system's own lookup, so that both are handled in the same way. */
function failureOf(causes: readonly unknown[]): Error {
  const unknown = causes.find((cause) => !ABSENT.has(codeOf(cause)));
  if (unknown === undefined) return Object.assign(new Error('the name has no address'), { code: 'ENOTFOUND' });
  const error = new Error('no name server could look up the name', { cause: unknown });
  return Object.assign(error, { code: 'EAI_AGAIN' });
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}
