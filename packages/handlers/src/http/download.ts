import type { OrgId } from '@jobline/contracts';
import { HandlerError, PermanentError } from '../errors.js';
import { type Outbound, type OutboundResponse, parseUrl } from '../ports/index.js';
import { responseFailure } from './response-failure.js';
import { USER_AGENT } from './user-agent.js';

export interface DownloadOptions {
  orgId: OrgId;
  /** The Accept header. */
  accept: string;
  /** A larger file fails the job permanently. */
  maxBytes: number;
  /** The limit of each request, redirects included. */
  timeoutMs: number;
  signal: AbortSignal;
}

export interface Download {
  bytes: Uint8Array;
  /** The content type from the server, in lower case and without parameters. Empty if there is none. */
  contentType: string;
}

const MAX_REDIRECTS = 3;
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/** Downloads a file from an address that a tenant chose. Each redirect is checked like the address itself. */
export async function download(outbound: Outbound, url: string, options: DownloadOptions): Promise<Download> {
  let address = url;
  for (let redirects = 0; ; redirects++) {
    const answer = await get(outbound, address, options);
    const { host } = new URL(address);
    if (!REDIRECTS.has(answer.status)) return toDownload(answer, host, options.maxBytes);
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

function toDownload({ status, headers, body, cut }: OutboundResponse, host: string, maxBytes: number): Download {
  if (status < 200 || status > 299) throw responseFailure({ status, headers }, host);
  if (cut) {
    const message = `the file at ${host} is larger than the limit of ${maxBytes / 1024 / 1024} MiB`;
    throw new PermanentError(message, { code: 'invalid_payload' });
  }
  const [contentType = ''] = (headers['content-type'] ?? '').split(';', 1);
  return { bytes: body, contentType: contentType.trim().toLowerCase() };
}
