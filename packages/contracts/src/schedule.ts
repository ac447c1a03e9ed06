import type { JobStatus } from './job.js';
import type { JsonObject } from './primitives.js';

/** What a planned time does while an earlier planned job of the schedule has not finished. */
export const SCHEDULE_OVERLAPS = ['allow', 'skip', 'cancel_previous'] as const;
export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

/** What happens to planned times that passed while no process was running. */
export const SCHEDULE_MISSED = ['run_once', 'run_all', 'skip'] as const;
export type ScheduleMissed = (typeof SCHEDULE_MISSED)[number];

/** A plan that submits the same job again and again. Exactly one of `cron` and `every_seconds` is set. */
export interface ScheduleView {
  id: string;
  name: string;
  cron: string | null;
  every_seconds: number | null;
  /** The IANA name of the time zone of `cron`. */
  timezone: string;
  /** The timing as a sentence. */
  description: string;
  type: string;
  payload: JsonObject;
  max_retries: number;
  priority: number;
  tags: string[];
  limit: string | null;
  key: string | null;
  callback_url: string | null;
  overlap: ScheduleOverlap;
  missed: ScheduleMissed;
  enabled: boolean;
  /** Null while the schedule is paused, or if its time never comes. */
  next_run_at: string | null;
  last_run_at: string | null;
  last_job_id: string | null;
  /** The status of the latest job. Null: there is none, or it was deleted. */
  last_status: JobStatus | null;
  /** How many planned times made no job because of `overlap`. */
  skipped: number;
  created_at: string;
}

/** The next times of a timing, and the timing as a sentence. */
export interface SchedulePreviewView {
  times: string[];
  description: string;
}
