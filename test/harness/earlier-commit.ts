/**
 * The commit from which the tests of an upgrade start, as long as no version has a tag: the last one before bulk actions.
 * The changelog says to stop everything for an upgrade from 0.1.0. All migrations since this commit are those of an
 * upgrade without downtime.
 */
export const EARLIER_COMMIT = 'bcb8cdefece98ffca5a7c0c6f48ca69ec5813229';
