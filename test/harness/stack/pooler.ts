import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import {
  canConnect,
  createServer,
  findFreePort,
  PlainError,
  type Server,
  serverEnv,
  spawnChild,
} from '@jobline/devstack';

/** The first version that keeps prepared statements in transaction mode. */
const MIN_VERSION = [1, 21] as const;

/** The PgBouncer of PGBOUNCER, or the first on the PATH. Throws PlainError if it is missing or too old. */
export function findPooler(env: NodeJS.ProcessEnv): string {
  const onPath = (env.PATH ?? '').split(delimiter).map((dir) => join(dir, 'pgbouncer'));
  for (const program of env.PGBOUNCER ? [env.PGBOUNCER] : onPath) {
    const { stdout, error } = spawnSync(program, ['--version'], { encoding: 'utf8', timeout: 10_000 });
    if (error) continue;
    const [major = 0, minor = 0] = /^PgBouncer (\d+)\.(\d+)/.exec(stdout)?.slice(1).map(Number) ?? [];
    if (major > MIN_VERSION[0] || (major === MIN_VERSION[0] && minor >= MIN_VERSION[1])) return program;
    throw new PlainError(`${program} is ${stdout.split('\n')[0] || 'not PgBouncer'}: ${ADVICE}`);
  }
  throw new PlainError(`PgBouncer is missing: ${ADVICE}`);
}

/** The settings that docs/deploy.md gives to the role, because the pooler drops those that the apps ask for. */
const ROLE_SETTINGS =
  'SET random_page_cost = 1.1; SET jit = off; SET statement_timeout = 30000; SET idle_in_transaction_session_timeout = 9000';
/** Set when the pooler connects, because it reports to its clients the time zone of that moment. */
const ZONE = 'UTC';

const ADVICE =
  'install 1.21 or newer with `sudo apt-get install pgbouncer` (Debian 13, Ubuntu 24.04 or apt.postgresql.org) or `brew install pgbouncer`, or set PGBOUNCER=<path>.';

/** Starts PgBouncer in transaction mode, with the settings of docs/deploy.md, in front of a Postgres on this machine. */
export async function startPooler(program: string, databaseUrl: string, dir: string): Promise<Server> {
  const port = await findFreePort();
  const { hostname, port: target, username, password, pathname } = new URL(databaseUrl);
  const file = join(dir, 'pgbouncer.ini');
  const logFile = join(dir, 'pgbouncer.log');
  const postgres = `host=${hostname} port=${target || 5432} user=${decodeURIComponent(username)}`;
  const settings = `[databases]
* = ${postgres}${password && ` password=${decodeURIComponent(password)}`} timezone=${ZONE} connect_query='${ROLE_SETTINGS}'
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
max_prepared_statements = 200
ignore_startup_parameters = options
default_pool_size = 10
max_client_conn = 1000
server_idle_timeout = 5
`;
  writeFileSync(file, settings, { mode: 0o600 }); // contains a password
  const server = createServer({
    name: 'PgBouncer',
    url: `postgresql://any@127.0.0.1:${port}${pathname}`,
    port,
    logFile,
    launch: () =>
      // PgBouncer refuses to run as root, but reads its settings before it changes to the other user.
      spawnChild(program, process.getuid?.() === 0 ? ['-u', 'nobody', file] : [file], {
        env: serverEnv(dir),
        output: { file: logFile },
      }),
    isReady: () => canConnect('127.0.0.1', port),
    stopSignal: 'SIGQUIT', // the other signals wait until every client has disconnected
    remove: () => rm(file, { force: true }),
  });
  await server.start();
  return server;
}
