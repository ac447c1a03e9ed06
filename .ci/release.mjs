#!/usr/bin/env node
// npm run release: makes the files of a release in `release/`, checks them, and prints the commands that publish them. It publishes
// nothing itself. With --dry-run it makes and checks them in a temporary folder, and says what a release would still lack.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** The packages that programs of others use. */
const PUBLISHED = ['client', 'handlers'];
const isDryRun = process.argv.includes('--dry-run');

/** The output of a program. That on its standard error is shown if it fails. */
const run = (file, args) =>
  execFileSync(file, args, { cwd: ROOT, encoding: 'utf8', stdio: 'pipe', maxBuffer: 64 << 20 });
const read = (path) => readFileSync(join(ROOT, path), 'utf8');
const bin = (name) => join(ROOT, 'node_modules/.bin', name);

const { version } = JSON.parse(read('package.json'));
const lacking = whatLacks();
if (lacking.length > 0) {
  process.stdout.write(`A release of ${version} still lacks:\n${lacking.map((one) => `- ${one}\n`).join('')}`);
  if (!isDryRun) process.exit(1);
}
run('npm', ['run', '--silent', 'build']);
const out = isDryRun ? mkdtempSync(join(tmpdir(), 'jobline-release-')) : join(ROOT, 'release');
mkdirSync(out, { recursive: true });
try {
  const packed = PUBLISHED.map(packAndCheck);
  const listed = listThirdParties();
  process.stdout.write(`Checked: ${[...packed, ...listed].join(', ')}\n`);
  if (!isDryRun) process.stdout.write(nextSteps(packed));
} finally {
  if (isDryRun) rmSync(out, { recursive: true });
}

/** What must be true before a release. */
function whatLacks() {
  const manifests = ['packages', 'apps'].flatMap((folder) =>
    readdirSync(join(ROOT, folder)).map((name) => `${folder}/${name}/package.json`),
  );
  const others = manifests.filter((path) => JSON.parse(read(path)).version !== version);
  const isDescribed = read('CHANGELOG.md').includes(`\n## ${version} - ${new Date().toISOString().slice(0, 10)}\n`);
  const changes = run('git', ['status', '--porcelain']).trim();
  const tag = run('git', ['tag', '--list', `v${version}`]).trim();
  return [
    ...others.map((path) => `${version} as the version in ${path}`),
    ...(isDescribed ? [] : [`a section of CHANGELOG.md with the version and the date of today`]),
    ...(changes === '' ? [] : ['a commit of all changes']),
    ...(tag === '' ? [] : [`a new version: the tag ${tag} exists`]),
  ];
}

/** Packs a package and checks what a program that installs it gets. Returns the name of its file. */
function packAndCheck(name) {
  const output = run('npm', ['pack', join(ROOT, 'packages', name), '--json', '--pack-destination', out]);
  // The output of its scripts comes first.
  const [{ filename }] = JSON.parse(output.slice(output.search(/^\[$/m)));
  run(bin('publint'), [join(out, filename), '--strict']);
  // It has only ES modules.
  run(bin('attw'), [join(out, filename), '--profile', 'esm-only', '--no-color', '--no-emoji']);
  return filename;
}

/** Writes what the images contain of others: a bill of materials in CycloneDX, and a table of the licenses. */
function listThirdParties() {
  const text = run('npm', ['sbom', '--omit=dev', '--sbom-format=cyclonedx']);
  const { components } = JSON.parse(text);
  const rows = components
    .filter(({ purl }) => !purl.startsWith('pkg:npm/%40jobline/'))
    .map((part) => `${nameOf(part)} ${part.version}: ${licenseOf(part)}`);
  const [sbom, licenses] = [`jobline-${version}.cdx.json`, `jobline-${version}-licenses.txt`];
  writeFileSync(join(out, sbom), text);
  writeFileSync(join(out, licenses), `${rows.sort().join('\n')}\n`);
  return [sbom, licenses];
}

function nameOf({ group, name }) {
  return group ? `${group}/${name}` : name;
}

/** As the package names it, if that is no identifier of SPDX. */
function licenseOf(part) {
  const names = (part.licenses ?? []).map(({ license, expression }) => expression ?? license.id ?? license.name);
  const name = names.join(' or ') || JSON.parse(read(`node_modules/${nameOf(part)}/package.json`)).license;
  if (!name) throw new Error(`${nameOf(part)} has no license`);
  return name;
}

function nextSteps(packed) {
  return [
    '\nTo publish, run:\n',
    `git tag --sign v${version} --message "Jobline ${version}" && git push origin v${version}`,
    ...packed.map((file) => `npm publish release/${file}`),
    ...[
      'api.Dockerfile --tag jobline-api',
      'worker.Dockerfile --target worker --tag jobline-worker',
      'worker.Dockerfile --tag jobline-worker-browser',
    ].map((image) => `docker buildx build --sbom=true --file docker/${image}:${version} .`),
    `# Attach release/jobline-${version}.cdx.json and release/jobline-${version}-licenses.txt to the release.\n`,
  ].join('\n');
}
