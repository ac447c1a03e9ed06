import { resolve } from 'node:path';
import { PlainError } from '../processes/plain-error.js';

/** What `npm start` itself takes from its arguments and environment; the apps check the rest. */
export interface Settings {
  /** Ends after the demo jobs. */
  once: boolean;
  dataDir: string;
  host: string;
  port: number;
  /** The API's address as this machine reaches it. */
  url: string;
  databaseUrl?: string;
  redisUrl?: string;
  /** The folders of HANDLERS_DIR, seen from where the user is: npm itself goes to the project's folder. */
  handlersDir?: string;
}

export function readSettings(argv: readonly string[], env: NodeJS.ProcessEnv, root: string): Settings {
  const unknown = argv.find((argument) => argument !== '--once');
  if (unknown !== undefined)
    throw new PlainError(`Unknown argument ${unknown}: there is \`npm start -- --once\` only.`);
  const port = Number(env.PORT || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535) {
    throw new PlainError(`PORT is "${env.PORT}": give a number from 1 to 65535, e.g. \`PORT=3001 npm start\`.`);
  }
  const host = env.HOST || '127.0.0.1';
  return {
    once: argv.includes('--once'),
    dataDir: resolve(root, env.DATA_DIR || '.jobline'),
    host,
    port,
    url: `http://${reachable(host)}:${port}`,
    ...(env.DATABASE_URL && { databaseUrl: env.DATABASE_URL }),
    ...(env.REDIS_URL && { redisUrl: env.REDIS_URL }),
    ...(env.HANDLERS_DIR && { handlersDir: fromUser(env.HANDLERS_DIR, env.INIT_CWD || process.cwd()) }),
  };
}

function fromUser(dirs: string, cwd: string): string {
  const given = dirs.split(',').flatMap((dir) => dir.trim() || []);
  return given.map((dir) => resolve(cwd, dir)).join(',');
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
