import { ARTIFACT_NAME_PATTERN, type ArtifactView } from '@jobline/contracts';
import type { ArtifactRow } from '@jobline/db';
import Joi from 'joi';
import { count, view } from './view.js';

export const artifactView = view<ArtifactView>('Artifact', {
  name: Joi.string().pattern(ARTIFACT_NAME_PATTERN),
  content_type: Joi.string(),
  size: count().description('In bytes.'),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('In hexadecimal.'),
  url: Joi.string().description(
    "Where it can be fetched with the same credentials: a path below the service's address.",
  ),
});

/** The address is a path: whoever reads the list has found the service, and at its own address it is right. */
export function toArtifactView(jobId: string, { name, contentType, sizeBytes, sha256 }: ArtifactRow): ArtifactView {
  return {
    name,
    content_type: contentType,
    size: sizeBytes,
    sha256: sha256.toString('hex'),
    url: `/jobs/${encodeURIComponent(jobId)}/artifacts/${name}`,
  };
}
