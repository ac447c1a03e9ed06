import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type AppProcess, spawnApi, spawnWorker } from '../harness/index.js';
import { readCompose } from './compose-file.js';
import { ROOT } from './project.js';

/** An app of the Compose file, as a process of this machine instead of a container. */
export interface App {
  name: string;
  /** Null for a worker. */
  url(): string | null;
  /** Ends the process with SIGKILL and starts it again. */
  killAndStart(): Promise<void>;
  stop(): Promise<void>;
}

const DOCKER = join(ROOT, 'docker');
const SPAWN: Record<string, (env: Record<string, string>) => Promise<AppProcess & { url?: string }>> = {
  api: spawnApi,
  worker: spawnWorker,
  'worker-browser': spawnWorker,
};
/** What a process of this machine has of its own: free ports, and a Chromium at another path. */
const OWN = { PORT: '0', WORKER_PORT: '0', WORKER_HOST: '127.0.0.1', PUPPETEER_EXECUTABLE_PATH: '' };

/**
 * Starts a process for each container of the apps, with the settings of its image and of the Compose file. `settings`
 * are those of `docker/.env`, and `servers` replaces the addresses of Postgres and Redis.
 */
export function startApps(settings: Record<string, string>, servers: Record<string, string>): Promise<App[]> {
  const { services } = readCompose([join(DOCKER, 'compose.yaml')], settings);
  const starting = Object.entries(SPAWN).flatMap(([name, spawn]) => {
    const { build, environment, deploy } = services[name] ?? {};
    const image = imageSettings(readFileSync(join(ROOT, build?.dockerfile ?? ''), 'utf8'), build?.target);
    const env = { ...image, ...settings, ...environment, ...servers, ...OWN };
    return Array.from({ length: deploy?.replicas ?? 1 }, (_, n) => startApp(`${name}-${n + 1}`, () => spawn(env)));
  });
  return Promise.all(starting);
}

async function startApp(name: string, spawn: () => Promise<AppProcess & { url?: string }>): Promise<App> {
  let process = await spawn();
  return {
    name,
    url: () => process.url ?? null,
    async killAndStart() {
      await process.kill('SIGKILL');
      process = await spawn();
    },
    stop: () => process.kill('SIGTERM'),
  };
}

/** The `ENV` lines of a stage of a Dockerfile, absent: the last one, and of the stages that it begins with. */
export function imageSettings(dockerfile: string, target?: string): Record<string, string> {
  const stages = dockerfile.split(/^(?=FROM )/m).filter((text) => text.startsWith('FROM '));
  const stage = target ? stages.find((text) => text.split('\n', 1)[0]?.endsWith(` AS ${target}`)) : stages.at(-1);
  const base = /^FROM (\S+)/.exec(stage ?? '')?.[1];
  if (!stage || !base) throw new Error(`the Dockerfile has no stage ${target}`);
  const lines = [...stage.matchAll(/^ENV (.+)$/gm)].flatMap(([, pairs = '']) => pairs.split(' '));
  const own = parseEnv(lines.join('\n'));
  const isStage = stages.some((text) => text.split('\n', 1)[0]?.endsWith(` AS ${base}`));
  return { ...(isStage && imageSettings(dockerfile, base)), ...own } as Record<string, string>;
}
