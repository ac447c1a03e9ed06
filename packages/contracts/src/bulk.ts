import type { JobErrorCode } from './errors.js';
import type { JsonObject } from './job.js';

/** What a bulk action does with each of its jobs. */
export const BULK_ACTIONS = ['retry', 'cancel', 'delete', 'rerun'] as const;
export type BulkActionKind = (typeof BULK_ACTIONS)[number];

export const BULK_STATUSES = ['running', 'done', 'stopped'] as const;
export type BulkStatus = (typeof BULK_STATUSES)[number];

export const BULK_LIMITS = {
  /** Ids in a filter. */
  ids: 1_000,
  perSecond: 10_000,
  /** The speed of actions that start jobs, unless a request sets another. Their jobs would fill the workers for others. */
  startedPerSecond: 500,
  /** The highest number that a dry run counts exactly. */
  counted: 100_000,
  /** The highest number of jobs of one action. */
  jobs: 1_000_000,
} as const;

/** A bulk action, as its endpoints show it. */
export interface BulkActionView {
  id: string;
  action: BulkActionKind;
  /** The filter as it was requested. */
  filter: JsonObject;
  status: BulkStatus;
  total: number;
  done: number;
  skipped: number;
  failed: number;
  created_at: string;
  finished_at: string | null;
}

/** Failed jobs that have their type, their error code and their message in common, but for numbers, ids and addresses. */
export interface FailureGroupView {
  type: string;
  error_code: JobErrorCode;
  message: string;
  count: number;
  first_at: string;
  last_at: string;
  /** How many ended in each part of the time window, the oldest part first. */
  series: number[];
  example_ids: string[];
}

/** The parts of equal length into which the time window of `FailureGroupView` is divided. */
export const FAILURE_SERIES_LENGTH = 24;
