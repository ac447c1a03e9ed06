import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { baseOf, makeBaseImages } from './base-images.js';
import { type FakeProviders, startFakeProviders } from './fake-providers.js';
import { createPodman, type Podman } from './podman.js';
import { copyProject, ROOT } from './project.js';
import { operatorSettings } from './settings.js';
import { createNetworks, createStack, type Stack } from './stack.js';

/** A podman with the base images, a copy of the project, and its Compose files. */
export interface ContainerWorld {
  podman: Podman;
  dir: string;
  /** The copy of the project. */
  project: string;
  /** The image that the Dockerfiles begin with. */
  base: string;
  providers: FakeProviders;
  composeFiles: readonly string[];
  stack: Stack;
  /** Removes all containers, images and files. */
  end(): Promise<void>;
}

/** A folder that keeps the images for the next run, for those who change these tests. */
const KEPT_DIR = process.env.CONTAINERS_DIR;

export async function createContainerWorld(): Promise<ContainerWorld> {
  const dir = KEPT_DIR ?? mkdtempSync(join(tmpdir(), 'jobline-containers-'));
  mkdirSync(dir, { recursive: true });
  const project = join(dir, 'project');
  const docker = join(project, 'docker');
  const podman = await createPodman(join(dir, 'podman'));
  const base = baseOf(join(ROOT, 'docker/api.Dockerfile'));
  if (!(await hasImage(podman, base))) await makeBaseImages(podman, join(dir, 'bases'), base);
  rmSync(project, { recursive: true, force: true });
  await copyProject(project);
  const composeFile = join(docker, 'compose.yaml');
  await removeContainers(podman);
  const gateways = await createNetworks(podman, composeFile);
  const providers = await startFakeProviders(gateways.out ?? '');
  writeFileSync(join(docker, '.env'), settingsFile(operatorSettings(providers)));
  const pooler = fileURLToPath(new URL('pgbouncer.yaml', import.meta.url));
  return {
    podman,
    dir,
    project,
    base,
    providers,
    composeFiles: [composeFile, pooler],
    stack: createStack(podman, [composeFile, pooler], docker),
    async end() {
      await providers.close();
      await removeContainers(podman);
      if (KEPT_DIR) return;
      await podman.run('rmi', '--all', '--force');
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

async function removeContainers(podman: Podman): Promise<void> {
  await podman.run('rm', '--all', '--force', '--time', '0');
  await podman.run('volume', 'prune', '--force');
  await podman.run('network', 'prune', '--force');
}

function hasImage(podman: Podman, name: string): Promise<boolean> {
  return podman.run('image', 'exists', name).then(
    () => true,
    () => false,
  );
}

function settingsFile(settings: Record<string, string>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}='${value}'\n`)
    .join('');
}
