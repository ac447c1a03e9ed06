import { OPERATIONS } from './generated/operations.js';
import type { AnyJobs, JobTypes } from './job-types.js';
import { Jobline } from './jobline.js';
import { invalidOptions, JoblineError, type JoblineErrorCode } from './jobline-error.js';
import type { OperationId, Schemas } from './operations.js';
import { isFinished, type Job, type JobResult, type JobSummary, type ListedJob } from './types.js';

/** A job that was submitted, with its id. */
export type Submitted = Schemas['Submission'] & { id: string };

export type FakeJobline<Types extends JobTypes<Types> = AnyJobs> = Jobline<Types> & {
  /** The submitted jobs, oldest first. */
  readonly submitted: readonly Submitted[];
  /** Ends a job: it is done with this result. */
  finish(id: string, result?: unknown): void;
  /** Ends a job: it failed with this error. */
  fail(id: string, error: { code: string; message: string }): void;
};

/**
 * A client for tests, which calls no API. Its jobs stay pending until the test ends them with `finish` or `fail`. It
 * submits, reads, lists, follows, cancels, retries and deletes jobs; every other call rejects.
 *
 * @example
 * const fake = fakeJobline();
 * const { id } = await fake.jobs.submit('send_sms', { to: '+254700000001', message: 'Hello' });
 * fake.finish(id, { provider: 'sandbox', provider_message_id: '1', segments: 1 });
 * const job = await fake.jobs.wait(id);
 */
export function fakeJobline<Types extends JobTypes<Types> = AnyJobs>(): FakeJobline<Types> {
  const jobs = new Map<string, FakeJob>();
  const answers = new Map<string, { json: string; answer: Schemas['SubmittedJob'] | Schemas['SubmittedJobs'] }>();
  const submitted: Submitted[] = [];
  let count = 0;

  function newId(): string {
    do count++;
    while (jobs.has(`fake-${count}`));
    return `fake-${count}`;
  }

  function submit(list: Schemas['Submission'][]): Schemas['SubmittedJob'][] {
    const added = list.map((one) => ({ ...one, id: one.id ?? newId() }));
    for (const one of added) {
      const known = jobs.get(one.id);
      if (!known) jobs.set(one.id, newJob(one));
      else if (JSON.stringify(known.submission) !== JSON.stringify(one))
        throw failure(409, 'conflict', `The id ${one.id} belongs to a job with other content.`);
      if (!known) submitted.push(one);
    }
    return added.map(({ id }) => toSubmitted(get(id)));
  }

  /** The same key gives the same answer. */
  function once(
    key: string,
    json: string,
    carryOut: () => Schemas['SubmittedJob'] | Schemas['SubmittedJobs'],
  ): Response {
    const before = answers.get(key);
    if (before && before.json !== json)
      throw failure(422, 'idempotency_key_reused', 'The idempotency key was used with other content.');
    const answer = before?.answer ?? carryOut();
    answers.set(key, { json, answer });
    return toResponse(answer, 202);
  }

  function get(id: string): FakeJob {
    const job = jobs.get(id);
    if (!job) throw failure(404, 'not_found', `There is no job ${id}.`);
    return job;
  }

  function end(id: string, status: 'done' | 'failed', { result = null, error = null }: Partial<FakeJob>): void {
    const job = get(id);
    if (isFinished(job)) throw failure(409, 'conflict', `Job ${id} is ${job.status} already.`);
    const now = new Date().toISOString();
    Object.assign(job, { status, result, error, updatedAt: now, finishedAt: now });
    for (const stream of job.streams) sendStatus(job, stream);
    for (const resolve of job.waits) resolve();
  }

  function answer({ operation, id, query, json, key }: FakeCall): Response | Promise<Response> {
    switch (operation) {
      case 'submitJob':
        return once(key, json, () => toSubmitted(get(submit([JSON.parse(json)])[0]?.id ?? '')));
      case 'submitBatch':
        return once(key, json, () => ({ jobs: submit(JSON.parse(json).jobs) }));
      case 'listJobs':
        return toResponse(listed([...jobs.values()], query).map((job) => toListed(job, query.get('include') ?? '')));
      case 'getJob':
        return toResponse(toView(get(id)));
      case 'getResult':
        return untilEnded(get(id), Number(query.get('wait'))).then(() => toResponse(toResult(get(id))));
      case 'listLogs':
      case 'listAttempts':
        return get(id) && toResponse([]);
      case 'followJob':
        return toStream(get(id));
      case 'cancelJob':
        end(id, 'failed', { error: { code: 'canceled', message: 'The job was canceled.' } });
        return toResponse(toSubmitted(get(id)), 202);
      case 'retryJob':
        if (get(id).status !== 'failed') throw failure(409, 'conflict', `Only failed jobs can be retried.`);
        Object.assign(get(id), {
          status: 'pending',
          error: null,
          finishedAt: null,
          updatedAt: new Date().toISOString(),
        });
        return toResponse(toSubmitted(get(id)), 202);
      case 'deleteJob':
        if (!isFinished(get(id))) throw failure(409, 'conflict', `Only finished jobs can be deleted.`);
        jobs.delete(id);
        return new Response(null, { status: 204 });
      default:
        throw invalidOptions(`fakeJobline() does not answer ${operation}: replace the method in your test.`);
    }
  }

  // Synchronous up to the answer: a submitted job is in `submitted` when the call returns its promise.
  const answerFetch: typeof fetch = async (url, init) => answer(readCall(String(url), init ?? {}));
  return Object.assign(new Jobline<Types>({ url: 'http://fake.invalid', fetch: answerFetch }), {
    submitted,
    finish: (id: string, result: unknown = null) => end(id, 'done', { result }),
    // The cast: a handler may give any code.
    fail: (id: string, error: { code: string; message: string }) =>
      end(id, 'failed', { error: error as Schemas['JobError'] }),
  });
}

interface FakeJob {
  submission: Submitted;
  status: Job['status'];
  result: unknown;
  error: Schemas['JobError'] | null;
  createdAt: string;
  updatedAt: string;
  finishedAt: string | null;
  streams: Set<ReadableStreamDefaultController<Uint8Array>>;
  waits: Set<() => void>;
}

interface FakeCall {
  operation: OperationId | undefined;
  id: string;
  query: URLSearchParams;
  json: string;
  key: string;
}

function readCall(url: string, { method = 'GET', body, headers }: RequestInit): FakeCall {
  const { pathname, searchParams } = new URL(url);
  const segments = pathname.split('/');
  const matches = (path: string) => {
    const parts = path.split('/');
    return parts.length === segments.length && parts.every((part, at) => part.startsWith('{') || part === segments[at]);
  };
  // The cast: these are the names of the table.
  const names = Object.keys(OPERATIONS) as OperationId[];
  const found = names.filter((name) => OPERATIONS[name].method === method && matches(OPERATIONS[name].path));
  return {
    // `/jobs/batch` before `/jobs/{id}`.
    operation: found.find((name) => OPERATIONS[name].path === pathname) ?? found[0],
    id: decodeURIComponent(segments[2] ?? ''),
    query: searchParams,
    json: typeof body === 'string' ? body : '',
    key: new Headers(headers).get('idempotency-key') ?? '',
  };
}

function newJob(submission: Submitted): FakeJob {
  const now = new Date().toISOString();
  const times = { createdAt: now, updatedAt: now, finishedAt: null };
  return { submission, status: 'pending', result: null, error: null, ...times, streams: new Set(), waits: new Set() };
}

/** Newest first, on one page. */
function listed(jobs: FakeJob[], query: URLSearchParams): FakeJob[] {
  const [status, type, key, tags] = [query.get('status'), query.get('type'), query.get('key'), query.getAll('tag')];
  return jobs
    .reverse()
    .filter((job) => status === null || job.status === (status === 'completed' ? 'done' : status))
    .filter(({ submission }) => type === null || submission.type === type)
    .filter(({ submission }) => key === null || submission.key === key)
    .filter(({ submission }) => tags.every((tag) => submission.tags?.includes(tag)));
}

/** Resolves when the job has ended, or after so many seconds. */
async function untilEnded(job: FakeJob, seconds: number): Promise<void> {
  if (isFinished(job) || seconds === 0) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, seconds * 1_000);
    job.waits.add(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}

function toSubmitted({ submission: { id }, status }: FakeJob): Schemas['SubmittedJob'] {
  return { id, status };
}

function toSummary({ submission, status, createdAt, updatedAt }: FakeJob): JobSummary {
  const { id, type, max_retries = 0, tags } = submission;
  const times = { created_at: createdAt, updated_at: updatedAt };
  return { id, type, status, retries: 0, max_retries, ...times, ...(tags && { tags }) };
}

function toListed(job: FakeJob, include: string): ListedJob {
  const payload = include.includes('payload') && { payload: job.submission.payload };
  return { ...toSummary(job), ...payload, ...(include.includes('result') && { result: job.result }) };
}

function toView(job: FakeJob): Job {
  const { payload, key, limit } = job.submission;
  return { ...toSummary(job), payload, ...(key !== undefined && { key }), ...(limit !== undefined && { limit }) };
}

function toResult({ submission, status, result, error, createdAt, finishedAt }: FakeJob): JobResult {
  const run_at = submission.run_at ?? createdAt;
  return { status, result, error, run_at, started_at: finishedAt, finished_at: finishedAt, duration_ms: null };
}

/** Begins with the status now, like that of the API. */
function toStream(job: FakeJob): Response {
  let own: ReadableStreamDefaultController<Uint8Array>;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      own = controller;
      job.streams.add(controller);
      sendStatus(job, controller);
    },
    cancel: () => void job.streams.delete(own),
  });
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } });
}

function sendStatus(job: FakeJob, stream: ReadableStreamDefaultController<Uint8Array>): void {
  stream.enqueue(
    new TextEncoder().encode(`id: ${job.updatedAt}\nevent: status\ndata: ${JSON.stringify(toSummary(job))}\n\n`),
  );
}

function toResponse(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
}

function failure(status: number, code: JoblineErrorCode, message: string): JoblineError {
  return new JoblineError({ code, status, message });
}
