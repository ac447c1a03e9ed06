import { AppError, ARTIFACT_NAME_PATTERN, NAME_PATTERN } from '@jobline/contracts';
import { type FoundArtifact, findArtifact } from '@jobline/db';
import type { EndpointDeps } from '../../deps.js';
import { defineEndpoint } from '../../endpoint.js';
import { notFound } from '../../http/http-errors.js';
import { stream } from '../../http/responses.js';

/**
 * A file that a job has made, to be saved and never shown: a tenant's file must not become a page of this service's own
 * address, with what that may do.
 */
export const getArtifact = defineEndpoint({
  method: 'get',
  path: '/jobs/:id/artifacts/:name',
  summary: "Fetch a job's artifact",
  auth: 'bearer-or-key',
  right: 'jobs',
  params: { id: NAME_PATTERN, name: ARTIFACT_NAME_PATTERN },
  responses: {
    200: stream('The file itself, as an attachment of its own content type.', '*/*', [
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
        // Its name needs no quoting: the pattern of names has nothing in it that would.
        'Content-Disposition': `attachment; filename="${artifact.name}"`,
        'Content-Security-Policy': 'sandbox',
        'X-Content-Type-Options': 'nosniff',
        ETag: `"${artifact.sha256.toString('hex')}"`,
      },
    };
  },
});

/** From where it is kept. Throws before the answer begins when Postgres or the store does not answer. */
async function bytesOf(deps: EndpointDeps, artifact: FoundArtifact): Promise<AsyncIterable<Uint8Array>> {
  if (artifact.storeKey === null) return begun(artifact.read());
  if (!deps.artifacts) throw new Error('this artifact is in S3, and ARTIFACTS does not say so');
  const bytes = await deps.artifacts.read(artifact.storeKey).catch((cause: unknown) => {
    throw new AppError('unavailable', 'The store of artifacts does not answer; try again in a few seconds.', {
      cause,
      headers: { 'Retry-After': '5' },
    });
  });
  if (!bytes) throw notFound();
  return bytes;
}

/** The same parts, the first of which has been read when this resolves. */
async function begun(parts: AsyncIterable<Uint8Array>): Promise<AsyncIterable<Uint8Array>> {
  const rest = parts[Symbol.asyncIterator]();
  const first = await rest.next();
  return (async function* () {
    if (!first.done) yield first.value;
    yield* { [Symbol.asyncIterator]: () => rest };
  })();
}
