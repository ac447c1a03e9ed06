/** Where Redis is: one server, or some nodes of a cluster. */

import { parseUrl } from '@jobline/handlers';

const SCHEMES = ['redis:', 'rediss:'];

/** What is wrong with the value of REDIS_URL; null if nothing is. */
export function redisUrlFault(text: string): string | null {
  const nodes = split(text).map((part) => parseUrl(part));
  if (!nodes.every(isRedis)) {
    return 'must be a redis:// or rediss:// address, or those of some nodes of a cluster, comma-separated';
  }
  const [first, ...others] = nodes;
  if (others.length > 0 && [first, ...others].some((url) => url && !/^\/?0?$/.test(url.pathname))) {
    return 'must name no database: a cluster has only one';
  }
  if (others.some((url) => url.protocol !== first?.protocol)) return 'must have the same scheme for every node';
  if (others.some(({ username, password }) => username + password !== '')) {
    return 'must name user and password with the first node alone: they are those of the whole cluster';
  }
  return null;
}

/**
 * The nodes that REDIS_URL names; one only: a server that is no cluster. Those after the first may go without a scheme,
 * as in `redis://user:password@a:6379,b:6379`.
 */
export function redisNodes(text: string): URL[] {
  return split(text).map((part) => new URL(part));
}

function split(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  const scheme = /^\w+:\/\//.exec(parts[0] ?? '')?.[0] ?? 'redis://';
  return parts.map((part) => (part.includes('://') ? part : scheme + part));
}

function isRedis(url: URL | null): url is URL {
  return url !== null && SCHEMES.includes(url.protocol) && url.hostname !== '';
}
