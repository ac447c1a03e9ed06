import { listAll } from '../http/http-client.js';
import type {
  AnyJobs,
  JobId,
  JobOf,
  JobResultOf,
  NewJob,
  PayloadOf,
  Referring,
  SubmittedJobOf,
  TypeOf,
  WaitingFields,
} from '../job-types.js';
import type { BodyOf, QueryOf } from '../operations.js';
import type { RequestOptions, WaitOptions } from '../options.js';
import type { LinkOptions } from '../resources/files.js';
import { Resource } from '../resources/resource.js';
import type {
  BulkAction,
  BulkCount,
  BulkFilter,
  FailureGroup,
  Job,
  JobEvent,
  JobFilter,
  JobResult,
  JobStats,
  Link,
  ListedJob,
  Page,
  SubmissionFields,
  SubmittedJob,
} from '../types.js';
import { BulkActions, type BulkWaitOptions } from './bulk.js';
import { followJob } from './follow.js';
import { type SubmitManyOptions, submitMany } from './submit-many.js';
import { waitForJob } from './wait.js';

export type SubmitOptions = SubmissionFields & RequestOptions;

type BulkRequest = Omit<BodyOf<'startBulk'>, 'filter' | 'dry_run'> & { filter: BulkFilter };
type BulkOptions = RequestOptions & BulkWaitOptions & { /** Resolve when the action has finished. */ wait?: boolean };

type ResultOptions = RequestOptions & QueryOf<'getResult'>;

export class Jobs<Types = AnyJobs> extends Resource {
  readonly artifacts = new Artifacts(this.client);
  readonly bulks = new BulkActions(this.client);

  get = this.byId('getJob');
  /** One page of the log, oldest first. The next page begins after `nextCursor`: pass it as `after`. */
  logs = this.pageById('listLogs');
  attempts = this.pageById('listAttempts');
  /** The deliveries to the job's `callback_url`. */
  callbacks = this.pageById('listCallbacks');
  cancel = this.byId('cancelJob');
  /** Runs a failed job again. */
  retry = this.byId('retryJob');
  /** Changes a pending job. */
  update = this.byIdWithBody('changeJob');
  /** Deletes a finished job with its log and its files. */
  delete = this.byId('deleteJob');
  /** The built-in job types and those of live workers. */
  types = this.plain('listJobTypes');

  /**
   * Submits a job. The call has an idempotency key, so a repetition after a network error submits no second job.
   *
   * @example
   * const { id } = await jobline.jobs.submit('send_sms', { to: '+254700000001', message: 'Hello' }, { max_retries: 3 });
   */
  submit<Type extends TypeOf<Types>>(
    type: Type,
    payload: Referring<PayloadOf<Type, Types>>,
    options: WaitingFields & RequestOptions,
  ): Promise<SubmittedJobOf<Type>>;
  submit<Type extends TypeOf<Types>>(
    type: Type,
    payload: PayloadOf<Type, Types>,
    options?: SubmitOptions,
  ): Promise<SubmittedJobOf<Type>>;
  submit<Type extends TypeOf<Types>>(
    type: Type,
    payload: unknown,
    { signal, timeoutMs, maxRetries, idempotencyKey, ...fields }: SubmitOptions = {},
  ): Promise<SubmittedJobOf<Type>> {
    const options = { signal, timeoutMs, maxRetries, idempotencyKey };
    // The casts: an object of an interface is JSON too, but TypeScript does not see that it has only text keys. The id is
    // that of a job of this type.
    const body = { ...fields, type, payload: payload as Job['payload'] };
    return this.client.call('submitJob', { body }, options) as Promise<SubmittedJobOf<Type>>;
  }

  /**
   * Submits any number of jobs, also from an async iterable, and resolves with their ids in order. Each batch of up to
   * 1,000 jobs is stored as a whole or not at all. With an `idempotencyKey`, the same list can be submitted again. A job may
   * name earlier jobs of the list in `after`.
   */
  submitMany<Type extends TypeOf<Types>>(
    jobs: Iterable<NewJob<Type, Types>> | AsyncIterable<NewJob<Type, Types>>,
    options?: SubmitManyOptions,
  ): Promise<JobId<Type>[]> {
    // The cast: the ids are those of these jobs.
    return submitMany(this.client, jobs, options) as Promise<JobId<Type>[]>;
  }

  /** One page of jobs, newest first. */
  list({ tag, ...filter }: JobFilter = {}, options?: RequestOptions): Promise<Page<ListedJob>> {
    const query = { ...filter, ...(tag !== undefined && { tag: [tag].flat() }) };
    return this.client.page('listJobs', { query }, options);
  }

  /** All jobs that match, newest first. `limit` is the size of the pages that are read. */
  all(filter: JobFilter = {}, options?: RequestOptions): AsyncGenerator<ListedJob, void, undefined> {
    return listAll((next) => this.list({ ...filter, ...next }, options));
  }

  /**
   * What the handler returned, or the error of the latest attempt. The id that `submit` gave says the type of the result. With
   * `wait`, it resolves when the job has ended, or after so many seconds (1 to 30).
   */
  result<Type extends string>(id: JobId<Type>, options?: ResultOptions): Promise<JobResultOf<Type, Types>>;
  result<Result = unknown>(id: string, options?: ResultOptions): Promise<JobResult<Result>>;
  result<Result>(id: string, { wait, ...options }: ResultOptions = {}): Promise<JobResult<Result>> {
    const query = wait === undefined ? {} : { wait };
    // The cast: the caller knows what the handler of the job returns.
    return this.client.call('getResult', { path: { id }, query }, options) as Promise<JobResult<Result>>;
  }

  /**
   * Resolves with the job when it has finished, also if it failed. Rejects with `timeout` after `timeoutMs` (10 minutes unless
   * given), and with the reason of the signal.
   */
  wait<Type extends string>(id: JobId<Type>, options?: WaitOptions): Promise<JobOf<Type, Types>>;
  wait(id: string, options?: WaitOptions): Promise<Job>;
  wait(id: string, options?: WaitOptions): Promise<Job> {
    return waitForJob(this.client, id, options);
  }

  /** The status and the log of a job, live until the job has finished: `for await (const { event, data } of …)`. */
  follow(id: string, options?: { signal?: AbortSignal | undefined }): AsyncGenerator<JobEvent, void, undefined> {
    return followJob(this.client, id, options);
  }

  /** Submits a finished job again, as a new job, with another payload if one is given. */
  rerun(id: string, { payload, ...options }: RequestOptions & { payload?: object } = {}): Promise<SubmittedJob> {
    // The cast: see `submit`.
    const body = payload ? { payload: payload as Job['payload'] } : {};
    return this.client.call('rerunJob', { path: { id }, body }, options);
  }

  /**
   * Retries, cancels, deletes or reruns all jobs that match a filter. With `dry_run` it only counts them. Resolves when the
   * action has started; with `wait` or `onProgress`, when it has finished.
   */
  bulk(request: BulkRequest & { dry_run: true }, options?: RequestOptions): Promise<BulkCount>;
  bulk(request: BulkRequest & { dry_run?: false }, options?: BulkOptions): Promise<BulkAction>;
  async bulk(
    request: BulkRequest & { dry_run?: boolean },
    { wait, onProgress, ...options }: BulkOptions = {},
  ): Promise<BulkAction | BulkCount> {
    const started = await this.client.call('startBulk', { body: request }, options);
    if ('matches' in started || !(wait || onProgress)) return started;
    return this.bulks.wait(started.id, { onProgress, timeoutMs: options.timeoutMs, signal: options.signal });
  }

  /** Why jobs failed: groups of the same type, error code and message. */
  failures(query: QueryOf<'readFailures'> = {}, options?: RequestOptions): Promise<FailureGroup[]> {
    return this.client.call('readFailures', { query }, options);
  }

  stats(query: QueryOf<'readJobStats'> = {}, options?: RequestOptions): Promise<JobStats> {
    return this.client.call('readJobStats', { query }, options);
  }
}

/** The files that a job has made. */
export class Artifacts extends Resource {
  list = this.pageById('listArtifacts');

  /** The file as a response: read it with `arrayBuffer()`, or as a stream from `body`. */
  download(id: string, name: string, options?: RequestOptions): Promise<Response> {
    const headers = { accept: '*/*' };
    return this.client.open('getArtifact', { path: { id, name }, headers }, options);
  }

  /** A URL with which anybody can fetch the file, for a day unless `expires_in` says otherwise. */
  link(id: string, name: string, { expires_in, ...options }: LinkOptions = {}): Promise<Link> {
    const body = expires_in === undefined ? {} : { expires_in };
    return this.client.call('linkArtifact', { path: { id, name }, body }, options);
  }
}
