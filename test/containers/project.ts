import { cpSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EARLIER_COMMIT } from '../harness/earlier-commit.js';
import { execute, type Podman, ULIMITS } from './podman.js';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** Copies the files of the project that git does not ignore. */
export async function copyProject(to: string): Promise<void> {
  const { stdout } = await execute('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
  });
  for (const file of stdout.split('\0').filter(Boolean)) {
    cpSync(join(ROOT, file), join(to, file), { preserveTimestamps: true });
  }
}

/** Writes the files of a commit. */
export async function exportCommit(commit: string, to: string): Promise<void> {
  rmSync(to, { recursive: true, force: true }); // a run that keeps its files may have left another commit
  mkdirSync(to, { recursive: true });
  await execute('git', ['archive', '--output', `${to}.tar`, commit], { cwd: ROOT });
  await execute('tar', ['xf', `${to}.tar`, '-C', to]);
}

/** The images of Jobline for production. */
export const IMAGES = ['jobline-api', 'jobline-worker', 'jobline-worker-browser'] as const;
type ImageName = (typeof IMAGES)[number] | 'jobline-dev';

/** The Dockerfile and the target of each image. */
const BUILDS: Record<ImageName, { dockerfile: string; target: string[] }> = {
  'jobline-api': { dockerfile: 'api.Dockerfile', target: [] },
  'jobline-worker': { dockerfile: 'worker.Dockerfile', target: ['--target', 'worker'] },
  'jobline-worker-browser': { dockerfile: 'worker.Dockerfile', target: ['--target', 'worker-browser'] },
  'jobline-dev': { dockerfile: 'dev.Dockerfile', target: [] },
};

/** The last release, if there is one. */
export async function previousCommit(): Promise<string> {
  const { stdout } = await execute('git', ['tag', '--list', 'v*', '--sort=-v:refname'], { cwd: ROOT });
  return stdout.split('\n')[0] || EARLIER_COMMIT;
}

/** Builds an image from the files of a project. npm in the build uses the registry of this machine. Returns the output. */
export async function buildImage(podman: Podman, project: string, name: ImageName): Promise<string> {
  const { dockerfile, target } = BUILDS[name];
  const options = ['--format=docker', '--isolation=chroot', '--network=host', '--layers', '--pull=never', ...ULIMITS];
  const file = ['--file', join(project, 'docker', dockerfile), ...target];
  const mounts = await npmMounts(`${project}.npmrc`);
  return podman.run('build', ...options, ...mounts, ...file, '--tag', `localhost/${name}`, project);
}

/** Mounts the registry of this machine, and the certificates that npm accepts, into a build. */
async function npmMounts(npmrc: string): Promise<string[]> {
  const [registry, certificates] = await Promise.all(['registry', 'cafile'].map(npmSetting));
  const hasOwn = certificates !== undefined && certificates !== 'null';
  writeFileSync(npmrc, `registry=${registry}\n${hasOwn ? `cafile=${certificates}\n` : ''}`);
  const homes = ['/root', '/home/node'].map((home) => `${npmrc}:${home}/.npmrc`);
  const files = [...homes, ...(hasOwn ? [`${certificates}:${certificates}`] : [])];
  return files.flatMap((mount) => ['--volume', `${mount}:ro`]);
}

async function npmSetting(name: string): Promise<string> {
  return (await execute('npm', ['config', 'get', name])).stdout.trim();
}
