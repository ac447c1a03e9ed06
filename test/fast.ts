/**
 * What `npm test` runs: these folders, each `without` some of its files or with `only` some of them. It covers every
 * package, endpoint, page and promise, as test/architecture/fast.test.ts checks, and takes about five minutes on two
 * processors. The durations in test/harness/durations.json decide what is in it: the shortest test of each promise,
 * and of the rest what takes a few seconds. `npm run test:all` runs everything.
 */
export const FAST: readonly { folder: string; only?: readonly string[]; without?: readonly string[] }[] = [
  { folder: 'packages', without: ['providers/src/compute/compute-pool'] },
  { folder: 'apps' },
  { folder: 'test/architecture' },
  { folder: 'test/harness' },
  {
    folder: 'test/api',
    without: [
      ...['fuzz', 'hostile-signed-in', 'redaction', 'scopes', 'start', 'start-checks', 'watchdog'],
      ...['auth/reset', 'docs/examples', 'docs/reference', 'http/overload', 'http/shares', 'http/slow-clients'],
      ...['invite/accept-invite', 'jobs/artifacts', 'jobs/batch-each', 'jobs/bulk', 'jobs/change-job-errors'],
      ...[
        'jobs/concurrent-duplicates',
        'jobs/custom-types',
        'jobs/error-code-filter',
        'jobs/event-streams',
        'jobs/events',
        'jobs/expiry',
      ],
      ...[
        'jobs/finished-jobs',
        'jobs/labels',
        'jobs/redacted-jobs',
        'jobs/sender-rule',
        'limits/organizations',
        'limits/stored-bytes',
      ],
      ...['limits/team-rate-limits', 'org/key-access', 'org/many-deliveries'],
      ...[
        'org/members',
        'org/settings',
        'org/templates',
        'schedules/overlap-and-missed',
        'schedules/planned-jobs',
        'stats/job-stats',
      ],
    ],
  },
  { folder: 'test/browser', only: ['every-page', 'main-path'] },
  {
    folder: 'test/chaos',
    only: [
      ...['cancel', 'crash-isolation', 'events-out', 'fenced-attempts', 'frozen-worker', 'limits'],
      ...['lost-redis', 'lost-worker', 'messages', 'payment-orders', 'restore', 'schedules'],
    ],
  },
  {
    folder: 'test/client',
    only: ['document', 'jobs', 'resources', 'verify-webhook'],
  },
  { folder: 'test/docker' },
  {
    folder: 'test/journey',
    only: [
      ...['attempt', 'events', 'guarded-deliveries', 'log-secrecy', 'receive-events', 'redaction', 'retries'],
      ...['retry-job', 'stop'],
    ],
  },
  { folder: 'test/messages', without: ['direct-sends'] },
  { folder: 'test/migrations', only: ['functions', 'schema'] },
  { folder: 'test/model', only: ['model'] },
  { folder: 'test/noisy', only: ['noisy'] },
  { folder: 'test/providers' },
];
