/** A file that a job has made, as lists show it. */
export interface ArtifactView {
  name: string;
  content_type: string;
  /** In bytes. */
  size: number;
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string;
  /** Where it can be fetched with the same credentials: a path below the service's own address. */
  url: string;
}

export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;
export const MAX_ARTIFACTS_PER_JOB = 100;

/** What an artifact's name is made of. `.` and `..`, which would mean another path, have no other character in them. */
export const ARTIFACT_NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
