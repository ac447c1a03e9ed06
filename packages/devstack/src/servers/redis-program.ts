import { spawnSync } from 'node:child_process';
import { ensureInstalled, type InstallOptions } from './install.js';

export interface RedisProgram {
  command: string;
  /** For example `Redis 7.0.15`. */
  version: string;
}

/**
 * Programs that act as the server if their argv0 is `redis-server`. On Debian and Ubuntu the small package
 * `redis-tools` contains the server too, as redis-check-rdb, and no service that starts by itself.
 */
const COMMANDS = ['redis-server', 'valkey-server', 'redis-check-rdb', 'valkey-check-rdb'];

/** The Redis on the PATH. */
export function findRedis(env: NodeJS.ProcessEnv): RedisProgram | undefined {
  for (const command of COMMANDS) {
    const options = { env, argv0: 'redis-server', encoding: 'utf8', timeout: 10_000 } as const;
    const { stdout } = spawnSync(command, ['--version'], options);
    const [, name, version] = /^(\w+) server v=(\S+)/.exec(stdout ?? '') ?? [];
    if (version) return { command, version: `${name} ${version}` };
  }
  return undefined;
}

/** The Redis on the PATH, installed if that needs no question. Otherwise throws PlainError. */
export function ensureRedis(options: InstallOptions): Promise<RedisProgram> {
  const redis = {
    name: 'Redis',
    find: () => findRedis(options.env),
    packages: { 'apt-get': ['redis-tools'], apk: ['redis'], dnf: ['valkey'], brew: ['redis'] },
    manually: 'install `redis-server` or `valkey-server`',
    otherwise: 'set REDIS_URL',
  };
  return ensureInstalled(redis, options);
}
