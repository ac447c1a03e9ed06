import { ARTIFACT_NAME_PATTERN, NAME_PATTERN } from '@jobline/contracts';
import { type ArtifactRow, findArtifact, listArtifacts as listArtifactRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { page } from '../../http/response-specs.js';
import { count, view } from '../../http/view.js';
import { download, downloadOf } from '../download.js';

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
    url: `/jobs/${encodeURIComponent(jobId)}/artifacts/${encodeURIComponent(name)}`,
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

/** A file that a job has made. */
export const getArtifact = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts/:name',
  summary: "Fetch a job's artifact",
  auth: 'jobs:read',
  needs: ['db', 'readStored'],
  params: { id: NAME_PATTERN, name: ARTIFACT_NAME_PATTERN },
  responses: { 200: download },
  async handle({ deps, principal, params }) {
    const artifact = await findArtifact(deps.db, principal.orgId, params.id, params.name);
    if (!artifact) throw notFound();
    return downloadOf(deps, artifact);
  },
});
