import { type HttpClient, listAll } from '../http/http-client.js';
import type { AnyJobs, NewSchedule, TypeOf } from '../job-types.js';
import type { BodyOf, QueryOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Page, Schedule, SchedulePreview, SubmittedJob } from '../types.js';

/** Jobs at the times of a cron expression, or every few seconds. */
export class Schedules<Types = AnyJobs> {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  list(query: QueryOf<'listSchedules'> = {}, options?: RequestOptions): Promise<Page<Schedule>> {
    return this.#client.page('listSchedules', { query }, options);
  }

  all(query: QueryOf<'listSchedules'> = {}, options?: RequestOptions): AsyncGenerator<Schedule, void, undefined> {
    return listAll((next) => this.list({ ...query, ...next }, options));
  }

  get(id: string, options?: RequestOptions): Promise<Schedule> {
    return this.#client.call('getSchedule', { path: { id } }, options);
  }

  create<Type extends TypeOf<Types>>(schedule: NewSchedule<Type, Types>, options?: RequestOptions): Promise<Schedule> {
    // The cast: an object of an interface is JSON too, but TypeScript does not see that it has only text keys.
    return this.#client.call('createSchedule', { body: schedule as BodyOf<'createSchedule'> }, options);
  }

  /** Changes a schedule; `{ enabled: false }` pauses it. */
  update(id: string, changes: BodyOf<'changeSchedule'>, options?: RequestOptions): Promise<Schedule> {
    return this.#client.call('changeSchedule', { path: { id }, body: changes }, options);
  }

  /** Deletes a schedule. Its jobs stay. */
  delete(id: string, options?: RequestOptions): Promise<void> {
    return this.#client.call('deleteSchedule', { path: { id } }, options);
  }

  /** Runs the job of a schedule now, in addition to its planned times. */
  run(id: string, options?: RequestOptions): Promise<SubmittedJob> {
    return this.#client.call('runSchedule', { path: { id } }, options);
  }

  /** The next times of a plan, and what it says in words. */
  preview(plan: BodyOf<'previewSchedule'>, options?: RequestOptions): Promise<SchedulePreview> {
    return this.#client.call('previewSchedule', { body: plan }, options);
  }
}
