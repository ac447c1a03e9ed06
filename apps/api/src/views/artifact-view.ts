import { ARTIFACT_NAME_PATTERN } from '@jobline/contracts';
import type { ArtifactRow } from '@jobline/db';
import Joi from 'joi';
import { count, view } from './view.js';

export const artifactView = view<ReturnType<typeof toArtifactView>>('Artifact', {
  name: Joi.string().pattern(ARTIFACT_NAME_PATTERN),
  content_type: Joi.string(),
  size: count().description('In bytes.'),
  sha256: Joi.string()
    .pattern(/^[0-9a-f]{64}$/)
    .description('In hexadecimal.'),
  url: Joi.string().description("The path of the file below the service's address. It needs the same credentials."),
});

/** The URL is a path only: it is right for every address at which a caller reaches the service. */
export function toArtifactView(jobId: string, { name, contentType, sizeBytes, sha256 }: ArtifactRow) {
  return {
    name,
    content_type: contentType,
    size: sizeBytes,
    sha256: sha256.toString('hex'),
    url: `/jobs/${encodeURIComponent(jobId)}/artifacts/${name}`,
  };
}
