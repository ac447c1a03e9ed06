import { isIPv6 } from 'node:net';
import { parseUrl } from '@jobline/handlers/ports';

/** The hosts that the operator has allowed although they may be private. */
export interface AllowList {
  /** Whether this host is allowed on this port. The host is spelled as in a parsed URL, without brackets. */
  has(hostname: string, port: number): boolean;
}

/** Builds the list from entries `host` (all ports) and `host:port`. Throws an error that names every invalid entry. */
export function createAllowList(entries: readonly string[]): AllowList {
  const issues = entries.map(allowHostIssue).filter((issue) => issue !== null);
  if (issues.length > 0) throw new Error(issues.join('; '));
  const allowed = new Set(entries.map(normalize));
  return { has: (hostname, port) => allowed.has(hostname) || allowed.has(`${hostname} ${port}`) };
}

/** Why an entry of OUTBOUND_ALLOW_HOSTS is invalid, as a sentence; null if it is valid. */
export function allowHostIssue(entry: string): string | null {
  return normalize(entry) === null ? `"${entry}" is not a host or host:port` : null;
}

/**
 * `LOCALHOST` → `localhost`, `[::1]:80` → `::1 80`. The result is spelled as the host of a parsed URL, so that equal
 * texts mean the same host.
 */
function normalize(entry: string): string | null {
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, host, port] = /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = host === undefined ? null : parseUrl(`http://${host}/`);
  if (!url) return null;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  const hostname = withoutBrackets(url.hostname);
  return port === undefined ? hostname : `${hostname} ${Number(port)}`;
}

/** The host as sockets expect it. URLs write IPv6 addresses in brackets: `[::1]`. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
