export const MAX_ARTIFACT_BYTES = 50 * 1024 * 1024;
export const MAX_ARTIFACTS_PER_JOB = 100;

/** Pattern of an artifact's name. `.` and `..` are excluded, because they would mean another path. */
export const ARTIFACT_NAME_PATTERN = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,128}$/;
