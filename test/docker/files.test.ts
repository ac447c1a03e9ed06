import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { QUEUES } from '@jobline/handlers';
import { parser as promql } from '@prometheus-io/lezer-promql';
import { DCLinter } from 'dclint';
import { validate } from 'dockerfile-utils';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';

const require = createRequire(import.meta.url);
const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));
const read = (path: string) => readFileSync(DOCKER + path, 'utf8');

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string };
  // biome-ignore lint/suspicious/noExplicitAny: a test looks into it as it expects it to be
  spec?: any;
}

const manifests = readdirSync(`${DOCKER}kubernetes`).flatMap((file) =>
  // The cast: that it is one is what the first test below holds.
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

describe('Kubernetes', () => {
  test.each(manifests.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'takes the %s %s',
    (kind, _name, manifest) => {
      const models = manifest.apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
      const { [kind]: Model } = require(`${models}/${manifest.apiVersion}/${kind}`);

      new Model(manifest).validate();
    },
  );

  it('finds the pods of every Service and budget, and what every scaler scales', () => {
    const pods = of('Deployment').map(({ spec }) => spec.template.metadata.labels);
    const selectors = [
      ...of('Service').map(({ spec }) => spec.selector),
      ...of('PodDisruptionBudget').map(({ spec }) => spec.selector.matchLabels),
    ];
    for (const selector of selectors) expect(pods).toContainEqual(selector);
    const names = of('Deployment').map(({ metadata }) => metadata.name);
    for (const { spec } of of('ScaledObject')) expect(names).toContain(spec.scaleTargetRef.name);
    for (const { spec } of of('Deployment')) expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
  });

  it('scales by every queue, and lets nobody else decide how many workers there are', () => {
    const queries = of('ScaledObject').flatMap(({ spec }) => spec.triggers);
    for (const figure of ['jobline_jobs_waiting', 'jobline_jobs_oldest_waiting_seconds']) {
      const own = queries.map(({ metadata }) => metadata.query).filter((query) => query.includes(figure));
      for (const queue of QUEUES) expect(own.some((query) => new RegExp(`["|]${queue}["|]`).test(query))).toBe(true);
    }
    for (const { metadata } of queries) expect(promqlFaults(metadata.query)).toEqual([]);
    const scaled = of('ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
    const workers = of('Deployment').filter(({ metadata }) => scaled.includes(metadata.name));
    expect(workers.map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
  });

  it('has the pods that the example for Prometheus looks for', () => {
    const { scrape_configs: scrapes } = parse(read('observability/prometheus.kubernetes.yml'));
    const [pods, , component] = scrapes[0].relabel_configs;
    for (const { spec } of of('Deployment')) {
      const { labels } = spec.template.metadata;
      const [{ ports }] = spec.template.spec.containers;
      const name = `${labels['app.kubernetes.io/name']};${ports[0].name}`;
      expect(name).toMatch(new RegExp(`^(?:${pods.regex})$`));
      expect(labels['app.kubernetes.io/component']).toMatch(new RegExp(`^(?:${component.regex})$`));
    }
  });
});

describe('Compose', () => {
  const { services, networks, volumes } = parse(read('compose.yaml'), { merge: true });

  test.each(Object.entries<Record<string, unknown>>(services))(
    'has a bound, networks and needs that exist: %s',
    (name, service) => {
      const {
        networks: joined = [],
        depends_on: needs = {},
        volumes: mounts = [],
        deploy,
      } = service as {
        networks?: string[];
        depends_on?: Record<string, unknown>;
        volumes?: string[];
        deploy?: { resources?: { limits?: { memory?: string } } };
      };
      expect(joined.filter((network) => !(network in networks))).toEqual([]);
      expect(Object.keys(needs).filter((other) => !(other in services))).toEqual([]);
      expect(
        mounts.map((mount) => mount.split(':')[0] ?? '').filter((from) => !from.startsWith('.') && !(from in volumes)),
      ).toEqual([]);
      if (name !== 'migrate') expect(deploy?.resources?.limits?.memory).toMatch(/^\d+[mg]$/);
    },
  );

  it('is of the form that Compose reads', () => {
    const linter = new DCLinter({ rules: {}, quiet: true, debug: false, exclude: [] });
    const [{ messages } = { messages: [] }] = linter.lintFiles([`${DOCKER}compose.yaml`], false);
    expect(messages.filter(({ rule }: { rule: string }) => rule === 'invalid-schema')).toEqual([]);
  });

  const asked = [...read('compose.yaml').matchAll(/\$\{(\w+)/g)].map(([, name = '']) => name);
  const told = [...read('env.example').matchAll(/^(\w+)=/gm)].map(([, name = '']) => name);

  it('asks for nothing that the example of its environment lacks', () => {
    expect(asked.filter((name) => !told.includes(name))).toEqual([]);
  });

  test.each(['api', 'worker', 'worker-browser'])('lets every setting of that environment reach the %s', (name) => {
    const { env_file: files, environment } = services[name];
    expect(files).toEqual([{ path: '.env', required: false }]);
    // What it says itself comes before the file: a setting with a default would never be heard.
    const own = Object.entries<string>(environment).filter(([setting]) => told.includes(setting));
    for (const [setting, value] of own) expect(['', `\${${setting}:?fill in docker/.env}`]).toContain(value);
    for (const setting of ['WORKER_QUEUES', 'PORT', 'WORKER_PORT']) expect(told).not.toContain(setting);
  });

  it('keeps the secret of sessions from whoever runs handlers', () => {
    for (const name of ['worker', 'worker-browser']) expect(services[name].environment.JWT_SECRET).toBe('');
  });
});

/** Where an expression is no PromQL. */
function promqlFaults(expression: string): string[] {
  const faults: string[] = [];
  promql.parse(expression).iterate({
    enter({ type, from }) {
      if (type.isError) faults.push(`at ${from}: ${expression.slice(from, from + 20)}`);
    },
  });
  return faults;
}

// That they fire when they should is tested by docker/observability/check.sh, which needs promtool; .ci/run runs it.
describe('the alert rules', () => {
  interface Rule {
    alert: string;
    expr: string;
    for?: string;
    labels: { severity: string };
    annotations: { summary: string; action: string };
  }
  const rules: Rule[] = parse(read('observability/alerts.yml')).groups.flatMap(({ rules }: { rules: Rule[] }) => rules);

  test.each(rules)('$alert has an expression in PromQL and says what to do', (rule) => {
    expect(promqlFaults(rule.expr)).toEqual([]);
    expect({ for: '0s', ...rule }).toEqual({
      alert: expect.stringMatching(/^Jobline[A-Z]\w+$/),
      expr: expect.any(String),
      for: expect.stringMatching(/^\d+[smh]$/),
      labels: { severity: expect.stringMatching(/^(warning|critical)$/) },
      annotations: { summary: expect.any(String), action: expect.any(String) },
    });
  });

  it('have tests, each of them', () => {
    const { tests } = parse(read('observability/alerts.test.yml'));
    const tested = tests.flatMap((one: { alert_rule_test: { alertname: string }[] }) =>
      one.alert_rule_test.map(({ alertname }) => alertname),
    );
    expect([...new Set(tested)].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  });

  it.each(['sum by (queue', 'max(a) >', 'rate(a[5x])', 'up{job=api}'])('could not be %s', (expression) => {
    expect(promqlFaults(expression)).not.toEqual([]);
  });
});

it('keeps what operators fill in with secrets out of git and of images', () => {
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

  it('is on an exact version', () => {
    const others = [...named.filter((image) => !image.startsWith('jobline-')), ...bases];
    for (const image of others) expect(image).toMatch(/:\d+\.\d+(\.\d+)?-\w+/);
    expect(new Set(bases).size).toBe(1);
  });

  it('has the Node that the tests run on in .ci/run', () => {
    const versions = readFileSync(`${DOCKER}../packages/devstack/bin/node-versions.mjs`, 'utf8');
    const [, version] = /\bnode24: '([\d.]+)'/.exec(versions) ?? [];
    expect(bases[0]).toMatch(`node:${version}-`);
    expect(readFileSync(`${DOCKER}../.ci/run`, 'utf8')).toContain('on-node.mjs node24 ');
  });

  test.each(dockerfiles)('has a Dockerfile that is in order: %s', (file) => {
    expect(validate(read(file))).toEqual([]);
    expect(read(file)).toMatch(/^USER node\n[\s\S]*^STOPSIGNAL SIGTERM\n[\s\S]*^CMD \[/m);
  });
});
