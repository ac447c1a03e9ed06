import { JOB_ERROR_CODES, LIMITS } from '@jobline/contracts';
import {
  AMOUNTS,
  AWAITED,
  CUSTOMER,
  FULL_SCHEDULE,
  idOf,
  LONG_JOB,
  ONE_KEY,
  TAGS,
  typeName,
} from './full-organization.js';
import { last, type PricedCall, params, restored, text } from './priced-call.js';

const tags = TAGS.map((tag) => `tag=${tag}`).join('&');
const everyCode = Object.keys(JOB_ERROR_CODES);
/** An error code that no job has. */
const noCode = everyCode.find((code) => code !== 'handler_error');
const ids = Array.from({ length: 1_000 }, (_, n) => `done-${n}`);
/** A payload of about 900 kB with many values. */
const wide = { values: Array.from({ length: 130_000 }, (_, n) => n) };
const deep = { values: Array.from({ length: 300_000 }, () => ({})) };
const newJob = (n: number) => ({
  type: typeName(n),
  payload: { text: text(600) },
  tags: Array.from({ length: 10 }, (_, t) => `tag-${t}`),
  key: `customer-${n}`,
  limit: 'ordered-keys',
});
/** Jobs that wait under a limit, few of them for the same job. */
const longAfter = (n: number) =>
  Array.from({ length: LIMITS.after }, (_, i) => `ordered-keys-${(n * LIMITS.after + i) % (AMOUNTS.waitingKeys - 1)}`);
const batch = (more: (n: number) => object) => ({
  jobs: Array.from({ length: LIMITS.batchSize }, (_, n) => ({ type: typeName(n), payload: { n }, ...more(n) })),
});

/** The calls of the operations of jobs and schedules. */
export const JOB_CALLS: Readonly<Record<string, readonly PricedCall[]>> = {
  // Jobs
  submitJob: [
    { what: 'payload of numbers', takesTurns: 'body', ask: () => ({ body: { type: 'walk', payload: wide } }) },
    { what: 'payload of objects', takesTurns: 'body', ask: () => ({ body: { type: 'walk', payload: deep } }) },
    { what: 'under limits', ask: (n) => ({ body: { ...newJob(n), id: `new-${n}` } }) },
    {
      what: 'after 20 jobs',
      ask: (n) => ({ body: { type: 'walk', payload: {}, id: `after-${n}`, after: longAfter(n) } }),
    },
    {
      what: 'a large template',
      ask: () => ({
        body: { type: 'send_email', payload: { to: 'a@b.example', template: 'template-0', data: { name: 'a' } } },
      }),
    },
  ],
  submitBatch: [
    {
      what: 'only types and payloads',
      takesTurns: 'body',
      ask: () => ({ body: batch((n) => ({ type: typeName(n % 100) })) }),
    },
    { what: 'many types of limits', takesTurns: 'always', ask: () => ({ body: batch(() => ({})) }) },
    {
      what: 'new ids',
      takesTurns: 'always',
      ask: (n) => ({ body: batch((i) => ({ id: `batch-${n}-${i}`, type: 'walk' })) }),
    },
    {
      what: 'tags and keys under limits',
      takesTurns: 'always',
      ask: () => ({
        body: batch((i) => ({ tags: TAGS, key: `customer-${i}`, limit: 'ordered-keys', payload: { text: text(400) } })),
      }),
    },
    {
      what: 'one key under an ordered limit',
      takesTurns: 'always',
      ask: () => ({ body: batch(() => ({ key: ONE_KEY, limit: 'ordered-types' })) }),
    },
    {
      what: 'each after 5 jobs',
      takesTurns: 'always',
      ask: (n) => ({ body: batch((i) => ({ type: 'walk', after: longAfter(n + i).slice(0, 5) })) }),
    },
    {
      what: 'each after 5 ended jobs',
      takesTurns: 'always',
      ask: (n) => ({
        body: batch((i) => ({
          type: 'walk',
          after: Array.from({ length: 5 }, (_, k) => `done-${(n * 1_000 + i) * 5 + k}`),
        })),
      }),
    },
    {
      what: 'each, with a key',
      takesTurns: 'always',
      ask: (n) => ({
        query: 'mode=each',
        headers: { 'Idempotency-Key': `each-${n}` },
        body: batch((i) => ({ id: `done-${i}` })),
      }),
    },
    {
      what: 'a template of 100 characters',
      takesTurns: 'always',
      before: `UPDATE templates SET body = repeat('{{ name }}', 10) WHERE org_id = $org AND name = 'template-5'`,
      ask: () => ({
        body: batch(() => ({
          type: 'send_email',
          payload: { to: 'a@b.example', template: 'template-5', data: { name: 'a' } },
        })),
      }),
    },
    {
      what: 'sources',
      takesTurns: 'always',
      ask: (n) => ({
        body: batch((i) => ({
          type: 'compress_image',
          payload: { source: { file: idOf('file', 1_000 + ((1_000 * n + i) % 10_000)) } },
        })),
      }),
    },
    {
      what: 'small templates',
      isLast: true,
      takesTurns: 'always',
      before: `UPDATE templates SET subject = 'x', body = repeat('{{ name }}', 10) WHERE org_id = $org`,
      ask: () => ({
        body: batch((i) => ({
          type: 'send_email',
          payload: { to: 'a@b.example', template: `template-${20 + (i % 900)}`, data: { name: 'a' } },
        })),
      }),
    },
    {
      what: 'large templates',
      takesTurns: 'always',
      ask: () => ({
        body: batch((i) => ({
          type: 'send_email',
          payload: { to: 'a@b.example', template: `template-${20 + (i % 900)}`, data: { name: 'a' } },
        })),
      }),
    },
  ],
  listJobs: [
    { ask: () => ({}) },
    { what: 'payloads and results', ask: () => ({ query: 'include=payload,result' }) },
    {
      what: 'every label, no match',
      ask: () => ({ query: `${tags}&key=${CUSTOMER}&schedule=${FULL_SCHEDULE}&status=processing` }),
    },
    { what: 'tags, no match', ask: () => ({ query: `${tags}&status=processing` }) },
    { what: 'after, no match', ask: () => ({ query: `after=${AWAITED}&status=done` }) },
    { what: 'reruns, no match', ask: () => ({ query: `rerun_of=${AWAITED}&status=done` }) },
    { what: 'about, no match', ask: () => ({ query: 'about=%2B254711000111&status=processing' }) },
    { what: 'version, no match', ask: () => ({ query: 'worker_version=v1&status=failed' }) },
    { what: 'key, no match', ask: () => ({ query: `key=${ONE_KEY}&status=failed` }) },
    { what: 'error code and type', ask: () => ({ query: `error_code=${noCode}&type=${typeName(1)}` }) },
    { what: 'error code', ask: () => ({ query: `error_code=${noCode}&${tags}&status=failed` }) },
    { what: 'of 50 types', as: 'restricted', ask: () => ({}) },
    { what: 'of 50 types by tags', as: 'restricted', ask: () => ({ query: `${tags}&status=processing` }) },
    { what: 'old', ask: () => ({ query: 'created_before=2020-01-01T00:00:00Z&created_after=2019-01-01T00:00:00Z' }) },
  ],
  getJob: [
    { what: 'large payload', ask: () => ({}) },
    { what: 'waits, as many keys', ask: () => params(`ordered-keys-${AMOUNTS.waitingKeys - 1}`) },
    { what: 'waits, one key', ask: () => params(`ordered-types-${AMOUNTS.waitingTypes - 1}`) },
    { what: 'waits for 20 jobs', ask: () => params('done-1') },
  ],
  getResult: [{ what: 'large result', ask: () => ({}) }],
  listLogs: [{ ask: () => ({}) }, { what: 'details', ask: () => ({ query: 'detail=full' }) }],
  changeJob: [
    {
      what: 'payload of numbers',
      takesTurns: 'body',
      ask: (n) => ({ ...params(`ordered-types-${n}`), body: { payload: wide, priority: n % 10 } }),
    },
    {
      what: 'run_at',
      ask: (n) => ({
        ...params(`ordered-keys-${n}`),
        body: { run_at: new Date(Date.now() + 3_600_000).toISOString() },
      }),
    },
  ],
  cancelJob: [{ ask: (n) => params(`ordered-types-${1_000 + n}`) }],
  deleteJob: [{ ask: (n) => params(`done-${100 + n}`) }],
  retryJob: [{ ask: (n) => params(`done-${6 * (100 + n) + 1}`) }],
  rerunJob: [
    { ask: (n) => ({ ...params(`done-${10_000 + 3 * n + 1}`), body: {} }) },
    {
      what: 'payload of numbers',
      takesTurns: 'body',
      ask: (n) => ({ ...params(`done-${21_000 + 3 * n + 1}`), body: { payload: wide } }),
    },
  ],
  startBulk: [
    ...(['cancel', 'retry', 'delete', 'rerun'] as const).map(
      (action): PricedCall => ({
        what: `${action} by tags`,
        takesTurns: 'always',
        before: endOneBulk(),
        ask: () => ({ body: { action, filter: { tag: TAGS, key: CUSTOMER, status: 'processing' } } }),
      }),
    ),
    {
      what: '1,000 ids',
      takesTurns: 'always',
      before: endOneBulk(),
      ask: () => ({ body: { action: 'cancel', filter: { ids } } }),
    },
    {
      what: 'dry run by tags',
      takesTurns: 'always',
      status: 200,
      ask: () => ({
        body: { action: 'cancel', dry_run: true, filter: { tag: TAGS, schedule: FULL_SCHEDULE, status: 'failed' } },
      }),
    },
    {
      what: 'dry run of all',
      takesTurns: 'always',
      status: 200,
      ask: () => ({ body: { action: 'cancel', dry_run: true, filter: { created_after: '2020-01-01T00:00:00Z' } } }),
    },
    {
      what: 'all',
      takesTurns: 'always',
      before: endOneBulk(),
      ask: () => ({ body: { action: 'cancel', filter: { created_after: '2020-01-01T00:00:00Z' } } }),
    },
  ],
  stopBulk: [{ ask: (n) => params(idOf('bulk', n)) }],
  getArtifact: [{ ask: () => ({}) }],
  linkArtifact: [{ ask: () => ({ params: { id: LONG_JOB, name: 'file-0' } }) }],
  followJobs: [{ ask: () => ({}) }],

  // Files
  uploadFile: [
    {
      what: '256 KiB',
      ask: (n) => ({ query: `name=a-${n}`, raw: text(256 * 1024), headers: { 'content-type': 'text/plain' } }),
    },
  ],
  deleteFile: [
    { what: 'empty', ask: (n) => params(idOf('file', 10 + n)) },
    { what: 'with bytes', isLast: true, ask: (n) => params(idOf('file', n)) },
  ],
  linkFile: [{ ask: () => params(idOf('file', 1)) }],
  openLink: [{ what: 'a wrong token', as: 'anonymous', status: 404, ask: () => ({ query: `token=${text(2_000)}` }) }],

  // Schedules
  createSchedule: [
    {
      before: last('schedules'),
      ask: (n) => ({
        body: {
          name: `new-${n}`,
          cron: '0 0 29 2 *',
          timezone: 'Africa/Nairobi',
          type: typeName(1),
          payload: { text: text(16_000) },
          tags: TAGS,
          limit: 'ordered-keys',
        },
      }),
    },
  ],
  changeSchedule: [
    {
      ask: (n) => ({
        ...params(idOf('schedule', 2)),
        body: { every_seconds: 31_536_000 - n, payload: { text: text(16_000) }, overlap: 'cancel_previous' },
      }),
    },
  ],
  previewSchedule: [{ ask: () => ({ body: { cron: '59 59 23 29 2 *', timezone: 'Africa/Casablanca', count: 20 } }) }],
  deleteSchedule: [
    { ask: (n) => params(idOf('schedule', 10 + n)) },
    { what: 'of many jobs', before: restored('schedules'), isLast: true, ask: () => params(FULL_SCHEDULE) },
  ],
  runSchedule: [{ ask: () => params(idOf('schedule', 3)) }],
};

/** Ends the newest of the running bulk actions. */
function endOneBulk(): string {
  return `UPDATE bulk_actions SET status = 'done', next_at = NULL, finished_at = now() WHERE id = (
    SELECT id FROM bulk_actions WHERE org_id = $org AND status = 'running' ORDER BY created_at DESC, id DESC LIMIT 1)`;
}
