import { resolve } from 'node:path';
import { PlainError } from '../processes/terminal.js';

/** What `npm start` itself reads from its arguments and environment. The apps check the rest. */
export interface Options {
  /** Stop after the demo. */
  once: boolean;
  /** Run only Postgres and Redis, for example to restore a backup. */
  onlyServers: boolean;
  dataDir: string;
  host: string;
  port: number;
  /** The address of the API from this machine. */
  url: string;
  /**
   * The folders of HANDLERS_DIR, relative to the folder of the user: npm itself changes to the folder of the project.
   */
  handlersDir?: string;
}

/** `createTerminal` handles `--verbose`. */
const FLAGS = ['--once', '--servers', '--verbose'];

export function readOptions(argv: readonly string[], env: NodeJS.ProcessEnv, root: string): Options {
  const unknown = argv.find((argument) => !FLAGS.includes(argument));
  if (unknown !== undefined)
    throw new PlainError(`Unknown argument ${unknown}; use one of ${FLAGS.join(', ')} after \`npm start --\`.`);
  const port = Number(env.PORT || 3000);
  if (!Number.isInteger(port) || port < 1 || port > 65_535)
    throw new PlainError(`PORT is "${env.PORT}"; use a number from 1 to 65535, e.g. \`PORT=3001 npm start\`.`);
  const host = env.HOST || '127.0.0.1';
  const cwd = env.INIT_CWD || process.cwd();
  const handlersDirs = (env.HANDLERS_DIR ?? '')
    .split(',')
    .flatMap((dir) => (dir.trim() ? resolve(cwd, dir.trim()) : []));
  return {
    once: argv.includes('--once'),
    onlyServers: argv.includes('--servers'),
    dataDir: resolve(root, env.DATA_DIR || '.jobline'),
    host,
    port,
    url: `http://${reachable(host)}:${port}`,
    ...(handlersDirs.length > 0 && { handlersDir: handlersDirs.join(',') }),
  };
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
