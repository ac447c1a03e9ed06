import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, test } from 'vitest';
import { parse } from 'yaml';
import { codeSpans, DOCS, tableRows } from '../architecture/markdown.js';
import { DOCKER, definedMetrics, namesIn, promqlErrors, read } from './support.js';

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

  // Prometheus itself adds these labels and the metric `up`. The others are metrics of Node and of node_exporter.
  const ADDED = ['job', 'instance', 'le'];
  const FOREIGN = [
    'up',
    'nodejs_eventloop_lag_p99_seconds',
    'node_filesystem_avail_bytes',
    'node_filesystem_size_bytes',
  ];
  const FOREIGN_LABELS = ['mountpoint', 'fstype'];
  const defined = definedMetrics();

  test.each(rules)('$alert uses only metrics that the code defines, and their labels', ({ expr, annotations }) => {
    const { metrics, labels } = namesIn(expr);
    const own = metrics.filter((name) => !FOREIGN.includes(name));
    const found = defined.filter(({ name }) => own.some((metric) => name.test(metric)));
    const known = [...ADDED, ...found.flatMap((metric) => metric.labels), ...(own.length === 0 ? FOREIGN_LABELS : [])];
    const shown = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(([, label = '']) => label);

    expect(metrics.length).toBeGreaterThan(0);
    expect(own.filter((metric) => !found.some(({ name }) => name.test(metric)))).toEqual([]);
    expect([...labels, ...shown].filter((label) => !known.includes(label))).toEqual([]);
  });

  it('the page about monitoring names alerts that exist', () => {
    const named = tableRows(DOCS.monitoring, 'alert', 'condition').flatMap(([names = '']) => codeSpans(names));

    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((name) => !rules.some(({ alert }) => alert === name))).toEqual([]);
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
  const ofProduction = ['api.Dockerfile', 'worker.Dockerfile'];
  const dockerfiles = [...ofProduction, 'dev.Dockerfile'];
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
  });

  test.each(ofProduction)('contains what is built, and nothing else of ours: %s', (file) => {
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
    const copied = [...manifests.matchAll(/^COPY (?:--chown=\S+ )?(.+) \S+$/gm)].flatMap(([, from = '']) =>
      from.split(' '),
    );
    expect(copied.sort()).toEqual(
      ['package-lock.json', 'package.json', ...workspaces.map((path) => `${path}/package.json`)].sort(),
    );
    expect(build).toMatch(/^RUN .*npm ci .*\n(COPY .*\n)+RUN npm run build\n/);
  });
});
