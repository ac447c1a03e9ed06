import type { QueryOf, Schemas } from './operations.js';

export type Job = Schemas['Job'];
/** A job in a list, with what `include` adds. */
export type ListedJob = Schemas['JobSummary'];
export type JobSummary = Omit<ListedJob, 'payload' | 'result' | 'truncated'>;
/** How far a running job is, as its handler last reported it. */
export type Progress = Schemas['Progress'];
/** A job in an event. It has `progress` only while it runs, if its handler reports some. */
export type FollowedJob = JobSummary & { progress?: Progress };
export type JobStatus = Job['status'];
/** A job for which another one waits or waited. */
export type Condition = Schemas['Condition'];
export type SubmittedJob = Schemas['SubmittedJob'];
export type LogEntry = Schemas['LogEntry'];
export type Attempt = Schemas['Attempt'];
export type Artifact = Schemas['Artifact'];
/** A file that was uploaded. */
export type StoredFile = Schemas['File'];
/** A URL with which anybody can fetch a file or an artifact. */
export type Link = Schemas['Link'];
export type JobType = Schemas['JobType'];
export type JobStats = Schemas['JobStats'];
export type FailureGroup = Schemas['FailureGroup'];
export type BulkAction = Schemas['BulkAction'];
export type BulkCount = Schemas['BulkCount'];
export type Schedule = Schemas['Schedule'];
export type SchedulePreview = Schemas['SchedulePreview'];
export type Limit = Schemas['Limit'];
export type Webhook = Schemas['Webhook'];
/** A webhook with the secret that signs its events, which is shown once. */
export type NewWebhook = Schemas['NewWebhook'];
export type Delivery = Schemas['Delivery'];
export type DeliveryDetail = Schemas['DeliveryDetail'];
export type ApiKey = Schemas['ApiKey'];
export type Erasure = Schemas['Erasure'];
export type NewApiKey = Schemas['NewApiKey'];
export type Settings = Schemas['Settings'];
/** Something that a search found. */
export type Found = Schemas['Found'];
export type ErrorDetail = Schemas['ErrorDetail'];

/** The result of a job, with the type that its handler returns. */
export type JobResult<Result = unknown> = Omit<Schemas['JobResult'], 'result'> & { result: Result };

/** The fields of a submission except type and payload. */
export type SubmissionFields = Omit<Schemas['Submission'], 'type' | 'payload'>;

/** One tag, or several that a job must all have. */
interface Tagged {
  tag?: string | string[];
}

export type JobFilter = Omit<QueryOf<'listJobs'>, 'tag'> & Tagged;
export type BulkFilter = Omit<Schemas['BulkFilter'], 'tag'> & Tagged;

/** An event of a job: its new status, or a new entry of its log. */
export type JobEvent = { event: 'status'; data: FollowedJob } | { event: 'log'; data: LogEntry & { job_id: string } };

/** One page of a list. `nextCursor` is the `cursor` of the next page; null on the last page. */
export interface Page<Item> {
  data: Item[];
  nextCursor: string | null;
}

export function isFinished({ status }: { status: JobStatus }): boolean {
  return status === 'done' || status === 'failed';
}
