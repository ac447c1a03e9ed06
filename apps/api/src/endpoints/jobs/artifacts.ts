import { AppError, ARTIFACT_NAME_PATTERN, NAME_PATTERN } from '@jobline/contracts';
import { type ArtifactRow, type FoundArtifact, findArtifact, listArtifacts as listArtifactRows } from '@jobline/db';
import Joi from 'joi';
import type { Deps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { page, stream } from '../../http/response-specs.js';
import { count, view } from '../../http/view.js';

const artifactView = view<ReturnType<typeof toArtifactView>>('Artifact', {
  name: Joi.string().pattern(ARTIFACT_NAME_PATTERN),
  content_type: Joi.string(),
  size: count().description('In bytes.'),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('In hexadecimal.'),
  url: Joi.string().description("The path of the file below the service's address. It needs the same credentials."),
});

/** The URL is a path only: it is right for every address at which a caller reaches the service. */
function toArtifactView(jobId: string, { name, contentType, sizeBytes, sha256 }: ArtifactRow) {
  return {
    name,
    content_type: contentType,
    size: sizeBytes,
    sha256: sha256.toString('hex'),
    url: `/jobs/${encodeURIComponent(jobId)}/artifacts/${name}`,
  };
}

/** The files that a job has made, also while it runs. */
export const listArtifacts = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts',
  summary: "List a job's artifacts",
  auth: 'jobs:read',
  needs: ['db'],
  params: { id: NAME_PATTERN },
  query: pageQuery(ARTIFACT_NAME_PATTERN),
  responses: { 200: page('A page of artifacts', artifactView) },
  async handle({ deps, principal, params, query, url }) {
    const artifacts = await listArtifactRows(deps.db, principal.orgId, params.id, query);
    if (!artifacts) throw notFound();
    return pageAnswer(url, artifacts, (artifact) => toArtifactView(params.id, artifact));
  },
});

/**
 * A file that a job has made, as a download only: a browser must not show a tenant's file as a page of this service, where
 * it would have the rights of this origin.
 */
export const getArtifact = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts/:name',
  summary: "Fetch a job's artifact",
  auth: 'jobs:read',
  needs: ['artifacts', 'db'],
  params: { id: NAME_PATTERN, name: ARTIFACT_NAME_PATTERN },
  responses: {
    200: stream('The file, as an attachment with its own content type.', '*/*', [
      'Content-Disposition',
      'Content-Security-Policy',
      'X-Content-Type-Options',
      'ETag',
    ]),
  },
  async handle({ deps, principal, params }) {
    const artifact = await findArtifact(deps.db, principal.orgId, params.id, params.name);
    if (!artifact) throw notFound();
    return {
      status: 200,
      stream: await bytesOf(deps, artifact),
      headers: {
        'Content-Type': artifact.contentType,
        'Content-Length': String(artifact.sizeBytes),
        // The name needs no escaping: the pattern of names allows no such character.
        'Content-Disposition': `attachment; filename="${artifact.name}"`,
        'Content-Security-Policy': 'sandbox',
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${artifact.sha256.toString('hex')}"`,
      },
    };
  },
});

/** Reads the file from Postgres or from the store. Throws before the response begins if that does not answer. */
async function bytesOf(deps: Deps<'artifacts'>, artifact: FoundArtifact): Promise<AsyncIterable<Uint8Array>> {
  if (artifact.storeKey === null) return started(artifact.read());
  if (!deps.artifacts) throw new Error('this artifact is in S3, but ARTIFACTS is not configured for S3');
  const bytes = await deps.artifacts.read(artifact.storeKey).catch((cause: unknown) => {
    throw new AppError('unavailable', 'The artifact storage does not answer; try again in a few seconds.', {
      cause,
      headers: { 'Retry-After': '5' },
    });
  });
  if (!bytes) throw notFound();
  return bytes;
}

/** Resolves to the same parts once the first one has been read. */
async function started(parts: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
}
