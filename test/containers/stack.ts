import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { until } from '../harness/until.js';
import { type ComposeFile, type ContainerSpec, readCompose } from './compose-file.js';
import { execute, type Podman } from './podman.js';
import { runArguments } from './run-arguments.js';

/** The containers of a Compose file, run by podman. */
export interface Stack {
  /** Starts the containers of a service, after those that it depends on. */
  up(service: string): Promise<void>;
  /** Replaces the containers of a service by new ones, as `docker compose up --no-deps` does after a build. */
  replace(service: string): Promise<void>;
  /** Runs the container of a service once, to its end. */
  runOnce(service: string): Promise<void>;
  /** Resolves when the containers of a service have ended without an error. */
  completed(service: string): Promise<void>;
  names(service: string): string[];
  /** An address of the container in its networks. */
  addressOf(name: string): Promise<string>;
  /** The process of the container with the id 1 in the container. */
  pidOf(name: string): Promise<number>;
}

/** The folder that contains the Compose file must contain its `.env`. */
export function createStack(podman: Podman, files: readonly string[], dir: string): Stack {
  const file = readCompose(files, parseEnv(readFileSync(join(dir, '.env'), 'utf8')));
  const started = new Map<string, Promise<void>>();
  const configs = writeConfigs(file, join(dir, 'configs'));

  function serviceOf(name: string): ContainerSpec {
    const service = file.services[name];
    if (!service) throw new Error(`there is no service ${name}`);
    return service;
  }

  function names(service: string): string[] {
    return Array.from({ length: serviceOf(service).deploy?.replicas ?? 1 }, (_, n) => `${service}-${n + 1}`);
  }

  async function runAll(service: string): Promise<void> {
    const settings = {
      dir,
      networkOf,
      volumeOf: (name: string) => name,
      configFile: (name: string) => configs[name] ?? '',
    };
    for (const name of names(service)) {
      await podman.run('run', '--detach', ...runArguments(service, serviceOf(service), { name, ...settings }));
      for (const network of serviceOf(service).networks) await keepAddress(podman, network);
    }
  }

  async function start(service: string): Promise<void> {
    const needs = Object.entries(serviceOf(service).depends_on ?? {});
    for (const [other, { condition }] of needs) {
      await up(other);
      if (condition === 'service_healthy') for (const name of names(other)) await untilHealthy(podman, name);
      if (condition === 'service_completed_successfully') await untilCompleted(other);
    }
    await runAll(service);
  }

  function up(service: string): Promise<void> {
    const starting = started.get(service) ?? start(service);
    started.set(service, starting);
    return starting;
  }

  async function untilCompleted(service: string): Promise<void> {
    for (const name of names(service)) {
      const code = await podman.run('wait', name);
      if (code !== '0') throw new Error(`${name} ended with ${code}: ${await podman.logs(name)}`);
    }
  }

  async function remove(service: string): Promise<void> {
    await Promise.all(
      names(service).map(async (name) => {
        await podman.run('stop', name);
        await podman.run('rm', '--force', name);
      }),
    );
  }

  const inspect = (name: string, field: string) => podman.run('inspect', '--format', `{{json ${field}}}`, name);

  return {
    up,
    completed: untilCompleted,
    names,
    async replace(service) {
      await remove(service);
      await runAll(service);
    },
    async runOnce(service) {
      await remove(service);
      await runAll(service);
      await untilCompleted(service);
    },
    async addressOf(name) {
      const networks: Record<string, { IPAddress: string }> = JSON.parse(
        await inspect(name, '.NetworkSettings.Networks'),
      );
      return Object.values(networks)[0]?.IPAddress ?? '';
    },
    pidOf: async (name) => Number(await inspect(name, '.State.Pid')),
  };
}

/** Resolves when a container passes its own check. */
export async function untilHealthy(podman: Podman, name: string): Promise<void> {
  let reason: unknown;
  const isHealthy = () =>
    podman.run('healthcheck', 'run', name).then(
      () => true,
      (error) => {
        reason = error;
        return false;
      },
    );
  await until(() => `${name} to be healthy: ${reason}`, isHealthy);
}

const networkOf = (name: string) => `stack-${name}`;

/** Creates the networks of a Compose file. Returns the address of this machine in each. */
export async function createNetworks(podman: Podman, composeFile: string): Promise<Record<string, string>> {
  const env = new Proxy<Record<string, string>>({}, { get: () => 'unused' });
  const gateways: Record<string, string> = {};
  for (const [name, options] of Object.entries(readCompose([composeFile], env).networks)) {
    await podman.run('network', 'create', ...(options.internal ? ['--internal'] : []), networkOf(name));
    const [network] = JSON.parse(await podman.run('network', 'inspect', networkOf(name)));
    gateways[name] = network.subnets[0].gateway;
  }
  return gateways;
}

/**
 * Keeps the hardware address of the bridge of a network, as Docker does. Otherwise it is the lowest one of the ports: when
 * a container starts or ends it may change, and for seconds the other containers do not reach this machine and its name
 * server.
 */
async function keepAddress(podman: Podman, network: string): Promise<void> {
  const [{ network_interface: bridge }] = JSON.parse(await podman.run('network', 'inspect', networkOf(network)));
  const file = `/sys/class/net/${bridge}/address`;
  // The bridge goes with its last container, which may have ended already.
  if (!existsSync(file)) return;
  await execute('ip', ['link', 'set', 'dev', bridge, 'address', readFileSync(file, 'utf8').trim()]);
}

function writeConfigs({ configs }: ComposeFile, dir: string): Record<string, string> {
  mkdirSync(dir, { recursive: true });
  return Object.fromEntries(
    Object.entries(configs).map(([name, { content }]) => {
      const path = join(dir, name);
      writeFileSync(path, content, { mode: 0o444 });
      return [name, path];
    }),
  );
}
