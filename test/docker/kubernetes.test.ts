import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { configSchema as api } from '@jobline/api/config';
import { migrateConfigSchema as migrations } from '@jobline/api/migrate-config';
import { QUEUES } from '@jobline/handlers';
import { configSchema as worker } from '@jobline/worker/config';
import { describe, expect, it, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { variablesOf } from '../architecture/variables.js';
import { DOCKER, promqlErrors, read } from './support.js';

const require = createRequire(import.meta.url);

interface Manifest {
  apiVersion: string;
  kind: string;
  metadata: { name: string; annotations?: Record<string, string> };
  stringData?: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields that it expects
  spec?: any;
}

const manifests = readdirSync(`${DOCKER}kubernetes`).flatMap((file) =>
  // The cast: the first test below checks it.
  parseAllDocuments(read(`kubernetes/${file}`)).map((document) => document.toJS() as Manifest),
);
const of = (kind: string) => manifests.filter((manifest) => manifest.kind === kind);

describe('the Kubernetes manifests', () => {
  test.each(manifests.map((manifest) => [manifest.kind, manifest.metadata.name, manifest] as const))(
    'contain a valid %s %s',
    (kind, _name, manifest) => {
      const models = manifest.apiVersion.startsWith('keda.sh/') ? '@kubernetes-models/keda' : 'kubernetes-models';
      const { [kind]: Model } = require(`${models}/${manifest.apiVersion}/${kind}`);

      new Model(manifest).validate();
    },
  );

  it('contain the pods of every Service and disruption budget, and the target of every scaler', () => {
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

  it('scale by every queue, and set no other number of workers', () => {
    const queries = of('ScaledObject').flatMap(({ spec }) => spec.triggers);
    for (const metric of ['jobline_jobs_waiting', 'jobline_jobs_oldest_waiting_seconds']) {
      const own = queries.map(({ metadata }) => metadata.query).filter((query) => query.includes(metric));
      for (const queue of QUEUES) expect(own.some((query) => new RegExp(`["|]${queue}["|]`).test(query))).toBe(true);
    }
    for (const { metadata } of queries) expect(promqlErrors(metadata.query)).toEqual([]);
    const scaled = of('ScaledObject').map(({ spec }) => spec.scaleTargetRef.name);
    const workers = of('Deployment').filter(({ metadata }) => scaled.includes(metadata.name));
    expect(workers.map(({ spec }) => spec.replicas)).toEqual([undefined, undefined]);
  });

  it('give each app only the secrets that it reads', () => {
    const readBy: Record<string, ReadonlySet<string>> = {
      api: variablesOf(api),
      worker: variablesOf(worker),
      'worker-browser': variablesOf(worker),
      migrate: variablesOf(migrations),
    };
    const settings = new Map(
      of('Secret').map(({ metadata, stringData }) => [metadata.name, Object.keys(stringData ?? {})]),
    );
    for (const { spec } of [...of('Deployment'), ...of('Job')]) {
      const component = spec.template.metadata?.labels?.['app.kubernetes.io/component'];
      const [{ envFrom = [], env = [] }] = spec.template.spec.containers;
      const given = [
        ...envFrom.flatMap(({ secretRef }: { secretRef?: { name: string } }) =>
          secretRef ? settings.get(secretRef.name) : [],
        ),
        ...env.map(({ name }: { name: string }) => name),
      ];
      expect(given.filter((name) => !readBy[component]?.has(name))).toEqual([]);
      if (component !== 'migrate') expect(given).toEqual(expect.arrayContaining(['DATABASE_URL', 'ENCRYPTION_KEY']));
    }
    const workers = [settings.get('jobline'), settings.get('jobline-worker')].flat();
    for (const name of ['JWT_SECRET', 'SMS_WEBHOOK_SECRET', 'MIGRATION_DATABASE_URL'])
      expect(workers).not.toContain(name);
  });

  it('run every pod with a seccomp profile, and spread the pods of a Deployment over the nodes', () => {
    for (const { spec } of [...of('Deployment'), ...of('Job')])
      expect(spec.template.spec.securityContext.seccompProfile.type).toMatch(/^(RuntimeDefault|Localhost)$/);
    for (const { spec } of of('Deployment')) {
      const [constraint] = spec.template.spec.topologySpreadConstraints;
      expect(constraint.labelSelector).toEqual(spec.selector);
    }
  });

  it('let every pod reach Postgres and the name servers, but no other private address', () => {
    const policies = of('NetworkPolicy');
    const pods = [...of('Deployment'), ...of('Job')].map(({ spec }) => spec.template.metadata.labels);
    for (const labels of pods) {
      const own = policies.filter(({ spec }) => selects(spec.podSelector, labels));
      const egress = own.flatMap(({ spec }) => spec.egress ?? []);
      const ports = egress.flatMap((rule) => (rule.ports ?? []).map(({ port }: { port: number }) => port));
      expect(new Set(own.flatMap(({ spec }) => spec.policyTypes))).toEqual(new Set(['Ingress', 'Egress']));
      expect(ports).toEqual(expect.arrayContaining([53, 5432]));
      const blocks = egress.flatMap((rule) => rule.to).flatMap(({ ipBlock }) => ipBlock ?? []);
      const everywhere = blocks.filter(({ cidr }) => cidr === '0.0.0.0/0');
      for (const { except } of everywhere) {
        expect(except).toEqual(
          expect.arrayContaining(['10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '127.0.0.0/8']),
        );
      }
      for (const rule of own.flatMap(({ spec }) => spec.ingress ?? [])) expect(rule.from.length).toBeGreaterThan(0);
    }
  });

  it('block the paths for operators', () => {
    const closed = of('Ingress').filter(({ metadata }) =>
      Object.keys(metadata.annotations ?? {}).some((name) => name.endsWith('whitelist-source-range')),
    );
    const paths = closed.flatMap(({ spec }) => spec.rules).flatMap(({ http }) => http.paths);
    expect(paths.map(({ path }) => path)).toEqual(['/metrics', '/admin']);
  });

  it('contain the pods that the example for Prometheus selects', () => {
    const { scrape_configs: scrapes } = parse(read('observability/prometheus.kubernetes.yml'));
    for (const { spec } of of('Deployment')) {
      const { labels } = spec.template.metadata;
      const [{ ports }] = spec.template.spec.containers;
      const name = `${labels['app.kubernetes.io/name']};${ports[0].name}`;
      const jobs = scrapes.filter(({ relabel_configs: [pods] }: { relabel_configs: { regex: string }[] }) =>
        new RegExp(`^(?:${pods?.regex})$`).test(name),
      );
      expect(jobs).toHaveLength(1);
      // The alerts and the dashboard use these job names. Both kinds of workers share one.
      const [app] = labels['app.kubernetes.io/component'].split('-');
      expect(jobs[0].job_name).toBe(`jobline-${app}`);
    }
  });
});

interface Selector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

/** Whether a policy applies to pods with these labels. Supports only the operator `In`. */
function selects({ matchLabels = {}, matchExpressions = [] }: Selector, labels: Record<string, string>): boolean {
  return (
    Object.entries(matchLabels).every(([name, value]) => labels[name] === value) &&
    matchExpressions.every(({ key, operator, values }) => operator === 'In' && values.includes(labels[key] ?? ''))
  );
}
