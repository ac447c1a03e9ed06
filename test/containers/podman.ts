import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** Podman with images, containers and networks of its own. */
export interface Podman {
  /** Runs a command of podman and returns what it prints. Fails with its errors. */
  run(...args: string[]): Promise<string>;
  /** Returns what a container has printed, its errors included. */
  logs(name: string): Promise<string>;
}

/** The packages of Debian that the tests need. */
const PACKAGES = ['podman', 'runc', 'netavark', 'aardvark-dns', 'iptables', 'iproute2', 'mmdebstrap'];
/** Containers may not raise the limits of the machine. */
export const ULIMITS = ['--ulimit', 'nofile=1024:1024', '--ulimit', 'nproc=1000:1000'];

const CONFIGURATION = (dir: string) => `[containers]
log_driver = "k8s-file"
[engine]
runtime = "runc"
cgroup_manager = "cgroupfs"
events_logger = "file"
lock_type = "file"
tmp_dir = "${dir}/tmp"
`;

/** Keeps all files in the folder. Throws if podman cannot be run here. */
export async function createPodman(dir: string): Promise<Podman> {
  if (process.getuid?.() !== 0) throw new Error('the tests of containers must run as root');
  for (const program of ['podman', 'runc', 'mmdebstrap']) await requireProgram(program);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, 'containers.conf'), CONFIGURATION(dir));
  writeFileSync(join(dir, 'registries.conf'), 'unqualified-search-registries = ["docker.io"]\n');
  const env = {
    ...process.env,
    CONTAINERS_CONF: join(dir, 'containers.conf'),
    CONTAINERS_REGISTRIES_CONF: join(dir, 'registries.conf'),
    TMPDIR: dir,
  };
  const folders = [
    ...['--root', join(dir, 'storage'), '--runroot', join(dir, 'run')],
    ...['--network-config-dir', join(dir, 'networks'), '--storage-driver', 'overlay'],
  ];
  const podman = (args: readonly string[]) =>
    execute('podman', [...folders, ...args], { env, maxBuffer: 64 * 1024 * 1024 });
  return {
    run: async (...args) => (await podman(args)).stdout.trim(),
    async logs(name) {
      const { stdout, stderr } = await podman(['logs', name]);
      return `${stdout}${stderr}`.trim();
    },
  };
}

export const execute = promisify(execFile);

async function requireProgram(program: string): Promise<void> {
  try {
    await execute(program, ['--version']);
  } catch (cause) {
    const install = `apt-get install -y --no-install-recommends ${PACKAGES.join(' ')}`;
    throw new Error(`${program} cannot be run: ${install}`, { cause });
  }
}
