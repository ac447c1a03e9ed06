import { isIPv6 } from 'node:net';
import { parseUrl } from '@jobline/handlers/ports';

/** The hosts that the operator has opened although they may be private. */
export interface AllowList {
  /** Whether exactly this host, as URL parsing spells it and without brackets, is opened on this port. */
  has(hostname: string, port: number): boolean;
}

/** From entries `host` (every port of it) and `host:port`. Throws with every faulty entry. */
export function createAllowList(entries: readonly string[]): AllowList {
  const issues = entries.map(allowHostIssue).filter((issue) => issue !== null);
  if (issues.length > 0) throw new Error(issues.join('; '));
  const allowed = new Set(entries.map(normalised));
  return { has: (hostname, port) => allowed.has(hostname) || allowed.has(`${hostname} ${port}`) };
}

/** What is wrong with an entry of OUTBOUND_ALLOW_HOSTS, as a sentence; null if nothing is. */
export function allowHostIssue(entry: string): string | null {
  return normalised(entry) === null ? `"${entry}" is not a host or host:port` : null;
}

/** `LOCALHOST` → `localhost`, `[::1]:80` → `::1 80`. Spelled as the host of a parsed URL, so that equal means the same. */
function normalised(entry: string): string | null {
  const text = isIPv6(entry) ? `[${entry}]` : entry;
  const [, host, port] = /^(\[[\da-f:.]+\]|[^\s:/?#@*[\]\\]+)(?::(\d{1,5}))?$/i.exec(text) ?? [];
  const url = host === undefined ? null : parseUrl(`http://${host}/`);
  if (!url) return null;
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) return null;
  const hostname = withoutBrackets(url.hostname);
  return port === undefined ? hostname : `${hostname} ${Number(port)}`;
}

/** An IPv6 host as sockets want it: URLs write `[::1]`. */
export function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[(.*)\]$/, '$1');
}
