import { ARTIFACT_NAME_PATTERN, MAX_ARTIFACT_BYTES } from '@jobline/contracts';

/** A file that a job creates and that its organization can download. */
export interface Artifact {
  /**
   * 1 to 128 letters, digits, dots, hyphens and underscores. It replaces an artifact of the same job with the same
   * name.
   */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

const CONTENT_TYPE = /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*(; ?charset=[\w-]+)?$/i;

/** Why an artifact is invalid, as a sentence; null if it is valid. */
export function artifactIssue({ name, contentType, bytes }: Artifact): string | null {
  if (!ARTIFACT_NAME_PATTERN.test(name)) {
    return `"${name.slice(0, 128)}" is not a valid artifact name: use 1 to 128 of A-Z a-z 0-9 . _ -`;
  }
  if (!CONTENT_TYPE.test(contentType)) return `"${contentType.slice(0, 128)}" is not a content type`;
  if (bytes.length > MAX_ARTIFACT_BYTES) {
    return `the artifact ${name} has ${bytes.length} bytes; the limit is ${MAX_ARTIFACT_BYTES}`;
  }
  return null;
}
