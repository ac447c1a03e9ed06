import type { endpoints } from '@jobline/api/endpoints';
import { MAX_PAGE_LIMIT } from '@jobline/contracts';
import { AMOUNTS, idOf, LONG_JOB } from './full-organization.js';
import { JOB_CALLS } from './job-calls.js';
import { ORGANIZATION_CALLS } from './organization-calls.js';
import type { PricedCall } from './priced-call.js';

type Endpoint = (typeof endpoints)[string];

/** The names in the paths, by what is before them. */
const PARAMS: Readonly<Record<string, Record<string, string>>> = {
  '/jobs/:id': { id: LONG_JOB },
  '/jobs/:id/artifacts/:name': { name: 'file-0' },
  '/jobs/bulk/:id': { id: idOf('bulk', 0) },
  '/files/:id': { id: idOf('file', 0) },
  '/schedules/:id': { id: idOf('schedule', 1) },
  '/email/messages/:id': { id: idOf('message', AMOUNTS.messages) },
  '/org/domains/:id': { id: idOf('domain', 0) },
  '/org/templates/:id': { id: idOf('template', 0) },
  '/org/webhooks/:id': { id: idOf('webhook', 0) },
  '/org/webhooks/:id/deliveries/:delivery': { delivery: idOf('delivery', 0) },
  '/org/limits/:name': { name: 'ordered-keys' },
};

/**
 * The calls of an endpoint; undefined: none is known. A GET needs none of its own if PARAMS has the names in its path. A list is called
 * with the largest page that takes no turns, and with the largest of all, which does.
 */
export function callsOf(name: string, endpoint: Endpoint): readonly PricedCall[] | undefined {
  const calls = JOB_CALLS[name] ?? ORGANIZATION_CALLS[name];
  if (endpoint.method !== 'get') return calls;
  const names = [...endpoint.path.matchAll(/:(\w+)/g)].map(([, param = '']) => param);
  const known = Object.entries(PARAMS).flatMap(([path, named]) => (endpoint.path.startsWith(path) ? [named] : []));
  const params: Record<string, string> = Object.assign({}, ...known);
  const own: readonly PricedCall[] = calls ?? [{ ask: () => ({}) }];
  if (!calls && names.some((param) => !(param in params))) return undefined;
  const limits = 'limit' in (endpoint.query?.describe().keys ?? {}) ? [SMALL_PAGE, MAX_PAGE_LIMIT] : [null];
  return own.flatMap((call) =>
    limits.map(
      (limit): PricedCall => ({
        ...call,
        ...(limit !== null && {
          what: [call.what, `page of ${limit}`].filter(Boolean).join(', '),
          ...(limit > SMALL_PAGE && { takesTurns: 'page' as const }),
        }),
        ask(n, owner) {
          const { query, ...asked } = call.ask(n, owner);
          const all = [query, limit !== null && `limit=${limit}`].filter(Boolean).join('&');
          return { ...asked, params: { ...params, ...asked.params }, query: all };
        },
      }),
    ),
  );
}

const SMALL_PAGE = 100;
