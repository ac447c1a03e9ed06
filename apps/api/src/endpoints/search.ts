import { FOUND_KINDS, type FoundKind, hasRight, type Right, type Scope, SEARCH_LIMITS } from '@jobline/contracts';
import { type Found, search as findMatches, shortText } from '@jobline/engine';
import Joi from 'joi';
import type { Principal } from '../auth/authorize.js';
import { defineEndpoint } from '../endpoint.js';
import { json } from '../http/response-specs.js';
import { text, timestamp, view } from '../http/view.js';

interface FoundView {
  kind: FoundKind;
  id: string;
  title: string;
  status?: string;
  at: string;
  url: string;
}

const foundView = view<FoundView>('Found', {
  kind: Joi.valid(...FOUND_KINDS),
  id: Joi.string().description('That of its kind: the name of a limit, the user id of a member.'),
  title: text().description('For people.'),
  status: Joi.string().optional(),
  at: timestamp().description('When it was created; of a member, when they joined.'),
  url: Joi.string().description('The path of its page in the dashboard, or of the page that lists it.'),
});

/** The page of each kind. */
const PAGES: Readonly<Record<FoundKind, (id: string, found: Found) => string>> = {
  job: (id) => `/job/${id}`,
  message: (id, { channel }) => `/${channel}?id=${id}`,
  template: (id) => `/templates?id=${id}`,
  schedule: (id) => `/schedules?id=${id}`,
  webhook: (id) => `/webhooks?id=${id}`,
  limit: (id) => `/limits?name=${id}`,
  domain: (id) => `/domains?id=${id}`,
  member: () => '/team',
  key: (id) => `/keys?id=${id}`,
};

function toFoundView(found: Found): FoundView {
  const { kind, id, title, status, at } = found;
  const url = PAGES[kind](encodeURIComponent(id), found);
  return { kind, id, title, ...(status !== null && { status }), at: at.toISOString(), url };
}

/** What finds each kind: the right of a person, and the scope of an API key, which finds no other kinds. */
const NEEDED: Readonly<Record<FoundKind, { right: Right; scope?: Scope }>> = {
  job: { right: 'jobs', scope: 'jobs:read' },
  message: { right: 'messages', scope: 'messages:read' },
  template: { right: 'read_templates' },
  schedule: { right: 'schedules', scope: 'schedules:read' },
  webhook: { right: 'webhooks' },
  limit: { right: 'read_limits' },
  domain: { right: 'read_senders' },
  member: { right: 'read_members' },
  key: { right: 'api_keys' },
};

function kindsFor(principal: Principal): FoundKind[] {
  return FOUND_KINDS.filter((kind) => {
    const { right, scope } = NEEDED[kind];
    if (principal.kind === 'user') return hasRight(principal.role, right);
    return scope !== undefined && principal.scopes.includes(scope);
  });
}

/** Finds what the organization has by the beginnings of words. */
export const search = defineEndpoint({
  method: 'get',
  path: '/search',
  summary: 'Find by words',
  auth: 'jobs:read',
  otherScopes: ['messages:read', 'schedules:read'],
  needs: ['db', 'searches'],
  query: Joi.object<{ q: string }>({
    q: shortText()
      .trim()
      .min(SEARCH_LIMITS.leastLength)
      .max(SEARCH_LIMITS.length)
      .prefs({ convert: true })
      .required()
      .description('Beginnings of words, without regard to case and accents. An entry must match each of them.'),
  }),
  responses: {
    200: json('The matches, the best first.', Joi.array().items(foundView).max(SEARCH_LIMITS.results)),
  },
  async handle({ deps, principal, query, reserve }) {
    const { orgId, types } = principal;
    const rights = { kinds: kindsFor(principal), types };
    const found = await deps.searches.run(() => findMatches(deps.db, orgId, query.q, rights, reserve), {
      owner: orgId,
    });
    return { status: 200, body: found.map(toFoundView) };
  },
});
