import type { ArtifactView } from '@jobline/contracts';
import type { ArtifactRow } from '@jobline/db';

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
