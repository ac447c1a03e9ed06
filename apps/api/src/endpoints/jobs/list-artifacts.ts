import { ARTIFACT_NAME_PATTERN, NAME_PATTERN } from '@jobline/contracts';
import { listArtifacts as listArtifactRows } from '@jobline/db';
import Joi from 'joi';
import { defineEndpoint } from '../../endpoint.js';
import { encodeTimeCursor, limit, nextPage, type TimeCursor, timeCursor } from '../../http/paging.js';
import { notFound } from '../../http/http-errors.js';
import { page } from '../../http/responses.js';
import { artifactView, toArtifactView } from '../../views/artifact-view.js';

interface Query {
  limit: number;
  cursor?: TimeCursor;
}

/** The files that a job has made, whether it has ended or still runs. */
export const listArtifacts = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts',
  summary: "List a job's artifacts",
  auth: 'bearer-or-key',
  right: 'jobs',
  params: { id: NAME_PATTERN },
  query: Joi.object<Query>({ limit: limit(), cursor: timeCursor(ARTIFACT_NAME_PATTERN) }),
  responses: { 200: page('A page of artifacts', artifactView) },
  async handle({ deps, principal, params, query, url }) {
    const page = await listArtifactRows(deps.db, principal.orgId, params.id, query);
    if (!page) throw notFound();
    const headers = nextPage(url, page.next && encodeTimeCursor(page.next));
    return { status: 200, body: page.items.map((artifact) => toArtifactView(params.id, artifact)), headers };
  },
});
