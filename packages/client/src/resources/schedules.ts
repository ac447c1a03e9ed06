import type { AnyJobs, NewSchedule, TypeOf } from '../job-types.js';
import type { BodyOf } from '../operations.js';
import type { RequestOptions } from '../options.js';
import type { Schedule } from '../types.js';
import { Resource } from './resource.js';

/** Jobs at the times of a cron expression, or every few seconds. */
export class Schedules<Types = AnyJobs> extends Resource {
  list = this.pageOf('listSchedules');
  all = this.allOf(() => this.list);
  get = this.byId('getSchedule');
  /** Changes a schedule; `{ enabled: false }` pauses it. */
  update = this.byIdWithBody('changeSchedule');
  /** Deletes a schedule. Its jobs stay. */
  delete = this.byId('deleteSchedule');
  /** Runs the job of a schedule now, in addition to its planned times. */
  run = this.byId('runSchedule');
  /** The next times of a plan, and what it says in words. */
  preview = this.withBody('previewSchedule');

  create<Type extends TypeOf<Types>>(schedule: NewSchedule<Type, Types>, options?: RequestOptions): Promise<Schedule> {
    // The cast: an object of an interface is JSON too, but TypeScript does not see that it has only text keys.
    return this.client.call('createSchedule', { body: schedule as BodyOf<'createSchedule'> }, options);
  }
}
