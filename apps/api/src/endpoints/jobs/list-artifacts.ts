import { ARTIFACT_NAME_PATTERN, NAME_PATTERN } from '@jobline/contracts';
import { listArtifacts as listArtifactRows } from '@jobline/db';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/errors.js';
import { pageAnswer, pageQuery } from '../../http/paging.js';
import { page } from '../../http/response-specs.js';
import { artifactView, toArtifactView } from '../../views/artifact-view.js';

/** The files that a job has made, also while it runs. */
export const listArtifacts = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts',
  summary: "List a job's artifacts",
  auth: 'jobs:read',
  right: 'jobs',
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
