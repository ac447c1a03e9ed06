import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { PlainError } from '../processes/plain-error.js';

export interface RedisProgram {
  path: string;
  /** For example `Redis 7.0.15`. */
  version: string;
}

/**
 * Programs that act as the server when they are called `redis-server`. On Debian and Ubuntu the small package
 * `redis-tools` has the server too, as redis-check-rdb, and brings no service that would start by itself.
 */
const NAMES = ['redis-server', 'valkey-server', 'redis-check-rdb', 'valkey-check-rdb'];

/** Throws a PlainError if the PATH has none. */
export function findRedis(path: string | undefined): RedisProgram {
  const found = lookForRedis(path);
  if (!found) throw new PlainError('Redis is missing: install `redis-server` or `valkey-server`, or give a REDIS_URL.');
  return found;
}

export function lookForRedis(path = ''): RedisProgram | undefined {
  const dirs = path.split(delimiter).filter((dir) => dir !== '');
  for (const name of NAMES) {
    for (const file of dirs.map((dir) => join(dir, name)).filter(isExecutable)) {
      const version = versionOf(file);
      if (version) return { path: file, version };
    }
  }
  return undefined;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false; // that it is not is the answer
  }
}

/** Undefined if it is not the server after all. */
function versionOf(file: string): string | undefined {
  const { stdout } = spawnSync(file, ['--version'], { argv0: 'redis-server', encoding: 'utf8', timeout: 10_000 });
  const [, name, version] = /^(\w+) server v=(\S+)/.exec(stdout ?? '') ?? [];
  return version && `${name} ${version}`;
}
