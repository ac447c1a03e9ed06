import type { OrgId } from '@jobline/contracts';
import { HandlerError, PermanentError, RetryLater, retryAfterMs } from '../errors.js';
import type { Outbound, OutboundResponse } from '../ports/outbound.js';
import { parseUrl } from './outbound-url.js';

/** The User-Agent header of outgoing requests. */
export const USER_AGENT = 'Jobline/0.1';

interface DownloadOptions {
  orgId: OrgId;
  /** The Accept header. */
  accept: string;
  /** A larger file fails the job permanently. */
  maxBytes: number;
  /** The limit of each request, redirects included. */
  timeoutMs: number;
  signal: AbortSignal;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * Downloads a file from an address that a tenant chose. Each redirect is checked like the address itself. The content
 * type from the server is ignored, because stores of files often send a general one.
 */
export async function download(outbound: Outbound, url: string, options: DownloadOptions): Promise<Uint8Array> {
  let address = url;
  for (let redirects = 0; ; redirects++) {
    const answer = await get(outbound, address, options);
    const { host } = new URL(address);
    if (!REDIRECTS.has(answer.status)) return fileOf(answer, host, options.maxBytes);
    if (redirects === MAX_REDIRECTS) {
      throw new HandlerError('provider_rejected', `${host} exceeded the limit of ${MAX_REDIRECTS} redirects`);
    }
    address = redirectTarget(answer, address);
  }
}

function get(outbound: Outbound, url: string, options: DownloadOptions): Promise<OutboundResponse> {
  const { accept, ...rest } = options;
  const headers = { accept, 'user-agent': USER_AGENT };
  return outbound.request({ ...rest, url, method: 'GET', headers });
}

/** The target of a redirect. The guard decides whether it may be called. */
function redirectTarget({ headers: { location = '' } }: OutboundResponse, from: string): string {
  const address = location ? parseUrl(location, from) : null;
  if (address) return address.href;
  throw new HandlerError('provider_rejected', `${new URL(from).host} redirects to an invalid address`);
}

function fileOf({ status, headers, body, cut }: OutboundResponse, host: string, maxBytes: number): Uint8Array {
  if (status < 200 || status > 299) throw responseFailure({ status, headers }, host);
  if (cut) {
    const message = `the file at ${host} is larger than the limit of ${maxBytes / 1024 / 1024} MiB`;
    throw new PermanentError(message, { code: 'invalid_payload' });
  }
  return body;
}

/**
 * The failure that an unsuccessful response means. `who` sent it. A requested wait counts only if a retry can succeed.
 */
export function responseFailure(
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  who: string,
): HandlerError {
  const message = `${who} answered ${status}`;
  if (status < 500 && !RETRYABLE.has(status)) return new HandlerError('provider_rejected', message);
  const delayMs = retryAfterMs(headers['retry-after']);
  return delayMs === null
    ? new HandlerError('provider_unavailable', message)
    : new RetryLater(delayMs, message, { code: 'provider_unavailable' });
}

/** Request timeout, too early and too many requests: the 4xx statuses after which a retry may succeed. */
const RETRYABLE: ReadonlySet<number> = new Set([408, 425, 429]);
