import type { Endpoint } from '../endpoint.js';
import * as list from './list.js';

/** The order of the methods of a path, in the API document and in the header `Allow`. */
const METHODS: readonly Endpoint['method'][] = ['post', 'get', 'put', 'patch', 'delete'];

/**
 * Every endpoint by its name. Short paths come first, and a fixed path comes before one with a parameter in the same
 * position, which would match it too.
 */
export const endpoints: Readonly<Record<string, Endpoint>> = Object.fromEntries(
  Object.entries<Endpoint>(list).sort(([, a], [, b]) => compare(sortKey(a), sortKey(b))),
);

/** `~` comes after every other character of a path. */
function sortKey({ path, method }: Endpoint): string {
  return `${path.split('/').length} ${path.replaceAll(':', '~')} ${METHODS.indexOf(method)}`;
}

function compare(a: string, b: string): number {
  return Number(a > b) - Number(a < b);
}
