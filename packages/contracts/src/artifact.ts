/** A file that a job has made, as lists show it. */
export interface ArtifactView {
  name: string;
  content_type: string;
  /** Size in bytes. */
  size: number;
  /** SHA-256 of the file, in hexadecimal. */
  sha256: string;
  /** Path below the service's own address. It can be fetched with the same credentials as the job. */
  url: string;
}

export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;
export const MAX_ARTIFACTS_PER_JOB = 100;

/** Pattern of an artifact's name. `.` and `..` are excluded, because they would mean another path. */
export const ARTIFACT_NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
