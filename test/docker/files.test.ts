import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { DOCKER, promqlErrors, read } from './support.js';

// docker/observability/check.sh, which .ci/run runs, tests with promtool that they fire.
describe('the alert rules', () => {
  interface Rule {
    alert: string;
    expr: string;
    for?: string;
    labels: { severity: string };
    annotations: { summary: string; action: string };
  }
  const rules: Rule[] = parse(read('observability/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

  test.each(rules)('$alert has a valid PromQL expression, a summary and an action', (rule) => {
    expect(promqlErrors(rule.expr)).toEqual([]);
    expect({ for: '0s', ...rule }).toEqual({
      alert: expect.stringMatching(/^Jobline[A-Z]\w+$/),
      expr: expect.any(String),
      for: expect.stringMatching(/^\d+[smh]$/),
      labels: { severity: expect.stringMatching(/^(warning|critical)$/) },
      annotations: { summary: expect.any(String), action: expect.any(String) },
    });
  });

  it('every alert has a test', () => {
    const { tests } = parse(read('observability/alerts.test.yml'));
    const tested = tests.flatMap((one: { alert_rule_test: { alertname: string }[] }) =>
      one.alert_rule_test.map(({ alertname }) => alertname),
    );
    expect([...new Set(tested)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(['sum by (queue', 'max(a) >', 'rate(a[5x])', 'up{job=api}'])(
    'could not contain the invalid expression %s',
    (expression) => {
      expect(promqlErrors(expression)).not.toEqual([]);
    },
  );
});

it('git and the images ignore the files in which operators store secrets', () => {
  const [{ path: settings = '' } = {}] = parse(read('compose.yaml'), { merge: true }).services.api.env_file;
  const { scrape_configs: scrapes } = parse(read('observability/prometheus.yml'));
  const secrets = [`docker/${settings}`, `docker/observability/${scrapes[0].basic_auth.password_file}`];
  for (const file of ['.gitignore', '.dockerignore']) {
    const ignored = readFileSync(`${DOCKER}../${file}`, 'utf8').split('\n');
    for (const secret of secrets)
      expect([secret, `**/${basename(secret)}`].some((line) => ignored.includes(line))).toBe(true);
  }
});

describe('every image', () => {
  const dockerfiles = ['api.Dockerfile', 'worker.Dockerfile'];
  const named = [...read('compose.yaml').matchAll(/^ +image: (\S+)$/gm)].map(([, image = '']) => image);
  const bases = dockerfiles.flatMap((file) =>
    [...read(file).matchAll(/^FROM (\S+:\S+)/gm)].map(([, base = '']) => base),
  );

  it('has an exact version', () => {
    const others = [...named.filter((image) => !image.startsWith('jobline-')), ...bases];
    for (const image of others) expect(image).toMatch(/:\d+\.\d+(\.\d+)?-\w+/);
    expect(new Set(bases).size).toBe(1);
  });

  it('has the Node version with which .ci/run runs the tests', () => {
    const versions = readFileSync(`${DOCKER}../test/harness/stack/node-versions.mjs`, 'utf8');
    const [, version] = /\bnode24: '([\d.]+)'/.exec(versions) ?? [];
    expect(bases[0]).toMatch(`node:${version}-`);
    expect(readFileSync(`${DOCKER}../.ci/run`, 'utf8')).toContain('on-node.mjs node24 ');
  });

  test.each(dockerfiles)('has a valid Dockerfile: %s', (file) => {
    expect(validate(read(file))).toEqual([]);
    expect(read(file)).toMatch(/^USER node\n[\s\S]*^STOPSIGNAL SIGTERM\n[\s\S]*^CMD \[/m);
    const [, built = ''] = /cp -r --parents (.+) out \\$/m.exec(read(file)) ?? [];
    for (const path of built.split(' ').filter((path) => !path.includes('*')))
      expect(existsSync(`${DOCKER}../${path}`), `${path} exists after a build`).toBe(true);
    expect(built.split(' ')).toEqual(expect.arrayContaining(['packages/*/dist', 'prisma/migrations']));
  });

  test.each(dockerfiles)('installs packages again only if a manifest changes: %s', (file) => {
    const [manifests = '', build = ''] = read(file)
      .split(/^FROM .*\n/m)
      .slice(1);
    const workspaces = ['apps', 'packages'].flatMap((dir) =>
      readdirSync(`${DOCKER}../${dir}`).map((name) => `${dir}/${name}`),
    );
    const copied = [...manifests.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '));
    expect(copied.sort()).toEqual(
      ['package-lock.json', 'package.json', ...workspaces.map((path) => `${path}/package.json`)].sort(),
    );
    expect(build).toMatch(/^RUN .*npm ci .*\n(COPY .*\n)+RUN npm run build\n/);
  });
});
