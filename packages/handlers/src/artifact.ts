import { ARTIFACT_NAME_PATTERN, MAX_ARTIFACT_BYTES } from '@jobline/contracts';

/** A file that a job makes for whoever submitted it. */
export interface Artifact {
  /** 1 to 128 letters, digits, dots, hyphens and underscores. One of the same job and name is replaced. */
  name: string;
  contentType: string;
  bytes: Uint8Array;
}

const CONTENT_TYPE = /^[a-z0-9][\w.+-]*\/[a-z0-9][\w.+-]*(; ?charset=[\w-]+)?$/i;

/** Why an artifact cannot be kept, as a sentence; null if it can. */
export function artifactIssue({ name, contentType, bytes }: Artifact): string | null {
  if (!ARTIFACT_NAME_PATTERN.test(name)) {
    return `"${name.slice(0, 128)}" cannot name an artifact: use 1 to 128 of A-Z a-z 0-9 . _ -`;
  }
  if (!CONTENT_TYPE.test(contentType)) return `"${contentType.slice(0, 128)}" is not a content type`;
  if (bytes.length > MAX_ARTIFACT_BYTES) {
    return `the artifact ${name} has ${bytes.length} bytes, and at most ${MAX_ARTIFACT_BYTES} can be kept`;
  }
  return null;
}
