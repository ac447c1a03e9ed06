/** The real Postgres and Redis that `npm test` starts. Without them a run fails; no test is skipped. */

export const TEMPLATE = `jobline_template_${process.env.TEST_RUN ?? 'local'}`;

export function adminUrl(): string {
  return required('TEST_DATABASE_URL');
}

export function redisUrl(): string {
  return required('TEST_REDIS_URL');
}

/**
 * A connection pooler in front of that Postgres, if the tests should use one. Their databases are created without it.
 */
export function poolerUrl(): string | undefined {
  return process.env.TEST_POOLER_URL || undefined;
}

export function withDatabase(url: string, name: string): string {
  const changed = new URL(url);
  changed.pathname = `/${name}`;
  return changed.href;
}

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: run the tests with "npm test", which starts what they need`);
  return value;
}
