import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseEnv } from 'node:util';
import type { ContainerSpec } from './compose-file.js';
import { ULIMITS } from './podman.js';

export interface RunOptions {
  /** The name of the container. */
  name: string;
  /** The folder of the Compose file. */
  dir: string;
  /** The name of a network of podman for a network of the file. */
  networkOf(name: string): string;
  /** The file with the content of a config of the Compose file. */
  configFile(name: string): string;
  /** The name of a volume of podman for a volume of the file. */
  volumeOf(name: string): string;
}

/** The arguments of `podman run` that start one container of a service as Compose would. */
export function runArguments(serviceName: string, service: ContainerSpec, options: RunOptions): string[] {
  const { name, dir, networkOf, configFile, volumeOf } = options;
  const { limits = {} } = service.deploy?.resources ?? {};
  const files = (service.env_file ?? []).map(({ path }) => parseEnv(readFileSync(resolve(dir, path), 'utf8')));
  const environment = Object.assign({}, ...files, service.environment);
  const flags: [string, string | number | undefined][] = [
    ['--name', name],
    ['--hostname', name],
    ...service.networks.map((network): [string, string] => ['--network', `${networkOf(network)}:alias=${serviceName}`]),
    ...Object.entries(environment).map(([key, value]): [string, string] => ['--env', `${key}=${value}`]),
    ...(service.volumes ?? []).map((volume): [string, string] => ['--volume', mountOf(volume, { dir, volumeOf })]),
    ...(service.configs ?? []).map((config): [string, string] => [
      '--volume',
      `${configFile(config.source)}:${config.target}:ro`,
    ]),
    ...(service.tmpfs ?? []).map((path): [string, string] => ['--tmpfs', path]),
    ...(service.cap_drop ?? []).map((capability): [string, string] => ['--cap-drop', capability]),
    ...(service.cap_add ?? []).map((capability): [string, string] => ['--cap-add', capability]),
    ...(service.security_opt ?? []).map((option): [string, string] => ['--security-opt', securityOption(option, dir)]),
    ['--shm-size', service.shm_size],
    ['--restart', service.restart],
    ['--stop-timeout', service.stop_grace_period?.replace(/s$/, '')],
    ['--cpus', limits.cpus],
    ['--memory', limits.memory],
    ['--pids-limit', limits.pids],
  ];
  const given = flags.filter(([, value]) => value !== undefined).flatMap(([flag, value]) => [flag, String(value)]);
  const readOnly = service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : [];
  return [
    ...given,
    ...readOnly,
    ...health(service),
    ...ULIMITS,
    '--pull=never',
    service.image,
    ...(service.command ?? []),
  ];
}

/** Without an own test, the container uses the check of its image. The tests run the checks themselves. */
function health({ healthcheck: check }: ContainerSpec): string[] {
  if (check?.disable) return ['--no-healthcheck'];
  if (!check?.test) return ['--health-interval=disable'];
  const [kind, ...words] = check.test;
  return ['--health-cmd', kind === 'CMD' ? JSON.stringify(words) : words.join(' '), '--health-interval=disable'];
}

function mountOf(volume: string, { dir, volumeOf }: Pick<RunOptions, 'dir' | 'volumeOf'>): string {
  const [from = '', ...rest] = volume.split(':');
  return [from.startsWith('.') ? resolve(dir, from) : volumeOf(from), ...rest].join(':');
}

/** `no-new-privileges:true`, or `seccomp:` with a file. */
function securityOption(option: string, dir: string): string {
  const [kind = '', value = ''] = option.split(':');
  return kind === 'seccomp' ? `seccomp=${resolve(dir, value)}` : kind;
}
