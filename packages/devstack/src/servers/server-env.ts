const KEPT = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/** What Postgres and Redis see of our environment: no PG* variable that would change them, and no secrets. */
export function serverEnv(dir: string): NodeJS.ProcessEnv {
  const kept = KEPT.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]));
  // By this one finds all processes of one DATA_DIR.
  return { ...Object.fromEntries(kept), DATA_DIR: process.env.DATA_DIR ?? dir };
}
