import { ensureInstalled, type InstallOptions } from './install.js';
import { lookForRedis, type RedisProgram } from './redis-program.js';

/** The system's Redis; installed if that can be done without a question. Else a PlainError. */
export function ensureRedis(options: InstallOptions): Promise<RedisProgram> {
  return ensureInstalled(
    {
      name: 'Redis',
      find: () => lookForRedis(options.env.PATH),
      packages: { 'apt-get': ['redis-tools'], apk: ['redis'], dnf: ['valkey'], brew: ['redis'] },
      byHand: 'install `redis-server` or `valkey-server`',
      otherwise: 'give a REDIS_URL',
    },
    options,
  );
}
