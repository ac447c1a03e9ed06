import { ARTIFACT_NAME_PATTERN, FILE_LIMITS, NAME_PATTERN } from '@jobline/contracts';
import { type Db, findArtifact, findArtifactOf, findFile, runAs, type StoredBytes } from '@jobline/db';
import Joi from 'joi';
import type { Linked } from '../auth/link-token.js';
import type { Deps } from '../deps.js';
import { defineEndpoint } from '../endpoint.js';
import { notFound } from '../http/errors.js';
import { json, stream } from '../http/response-specs.js';
import { timestamp, view } from '../http/view.js';
import { download, downloadOf } from './download.js';

interface LinkBody {
  /** Seconds. */
  expires_in: number;
}

const body = Joi.object<LinkBody>({
  expires_in: Joi.number()
    .integer()
    .min(FILE_LIMITS.leastLinkSeconds)
    .max(FILE_LIMITS.linkSeconds)
    .default(FILE_LIMITS.usualLinkSeconds)
    .description('For how many seconds the link works.'),
}).meta({ view: 'LinkOptions' });

const linkView = view<ReturnType<typeof linkTo>>('Link', {
  url: Joi.string().description('Everyone who has it can fetch the file, without a credential.'),
  expires_at: timestamp(),
});

const made = json('The link.', linkView);

/** Everyone who has the link can fetch the file, until it ends or the file is deleted. */
export const linkFile = defineEndpoint({
  method: 'post',
  path: '/files/:id/link',
  summary: 'Make a link to a file',
  auth: 'jobs:write',
  needs: ['db', 'linkTokens', 'settings'],
  limits: { org: 'control' },
  body,
  isBodyOptional: true,
  responses: { 201: made },
  async handle({ deps, principal: { orgId }, params, body }) {
    const file = await findFile(deps.db, orgId, params.id);
    if (!file) throw notFound();
    return { status: 201, body: linkTo(deps, { orgId, kind: 'file', id: file.id }, body) };
  },
});

/** Everyone who has the link can fetch the artifact, until it ends, or the artifact is deleted or replaced. */
export const linkArtifact = defineEndpoint({
  method: 'post',
  path: '/jobs/:id/artifacts/:name/link',
  summary: 'Make a link to an artifact',
  auth: 'jobs:write',
  needs: ['db', 'linkTokens', 'settings'],
  limits: { org: 'control' },
  params: { id: NAME_PATTERN, name: ARTIFACT_NAME_PATTERN },
  body,
  isBodyOptional: true,
  responses: { 201: made },
  async handle({ deps, principal: { orgId }, params, body }) {
    const artifact = await findArtifact(deps.db, orgId, params.id, params.name);
    if (!artifact) throw notFound();
    const { jobKey, name, sha256 } = artifact;
    const linked = { orgId, kind: 'artifact', jobKey, name, sha256: sha256.toString('hex') } as const;
    return { status: 201, body: linkTo(deps, linked, body) };
  },
});

type WithoutEnd<L> = L extends Linked ? Omit<L, 'expiresAt'> : never;

function linkTo(
  { linkTokens, settings }: Deps<'linkTokens' | 'settings'>,
  linked: WithoutEnd<Linked>,
  { expires_in: seconds }: LinkBody,
) {
  const expiresAt = new Date(Date.now() + seconds * 1_000);
  const url = `${settings.publicUrl}${PATH}?${PREFIX}${linkTokens.issue({ ...linked, expiresAt })}`;
  return { url, expires_at: expiresAt.toISOString() };
}

const PATH = '/links';
const PREFIX = 'token=';

/**
 * Answers a link. Its secret is in the query, which no log has. A query that differs from that of a link in any character is not
 * found: the query is not parsed.
 */
export const openLink = defineEndpoint({
  method: 'get',
  path: PATH,
  summary: 'Fetch what a link names',
  auth: 'none',
  needs: ['db', 'linkTokens', 'readStored'],
  limits: { auth: 'link' },
  raw: { maxBytes: 0, check: () => undefined },
  responses: { 200: stream(download.description, download.mediaType, [...download.headers, 'Cache-Control']) },
  errors: ['not_found', 'unavailable'],
  async handle({ deps, url }) {
    const [, query = ''] = url.split(/\?(.*)/s);
    const linked = query.startsWith(PREFIX) ? deps.linkTokens.verify(query.slice(PREFIX.length)) : null;
    if (!linked) throw notFound();
    return runAs(linked.orgId, async () => {
      const stored = await findLinked(deps.db, linked);
      if (!stored) throw notFound();
      const answer = await downloadOf(deps, stored);
      return { ...answer, headers: { ...answer.headers, 'Cache-Control': 'private, no-store' } };
    });
  },
});

async function findLinked(db: Db, linked: Linked): Promise<StoredBytes | null> {
  if (linked.kind === 'file') return findFile(db, linked.orgId, linked.id);
  const artifact = await findArtifactOf(db, linked.orgId, linked.jobKey, linked.name);
  return artifact?.sha256.toString('hex') === linked.sha256 ? artifact : null;
}
