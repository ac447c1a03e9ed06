import type { Schemas } from './operations.js';
import type { Job, JobResult, JobStatus, SubmissionFields, SubmittedJob } from './types.js';

/** A job type: its payload, and what its handler returns. */
interface JobShape {
  payload: unknown;
  result: unknown;
}

/** The types of an installation, by name, as `jobline types --typescript` prints them. */
export type JobTypes<Types> = { [Type in keyof Types]: JobShape };

/** The built-in job types. */
export type BuiltInJobs = {
  [Type in BuiltInType]: { payload: Schemas['Payloads'][Type]; result: Schemas['Results'][Type] };
};

/** Any types: the built-in ones are known, and all others take any JSON object. */
export interface AnyJobs {
  [type: string]: JobShape;
}

/** The names of the built-in job types. */
export type BuiltInType = keyof Schemas['Payloads'];

/** The names that a client allows. Without types of an installation, editors suggest the built-in ones. */
export type TypeOf<Types = AnyJobs> = string extends keyof Types
  ? BuiltInType | (string & Record<never, never>)
  : keyof Types & string;

type Known<Types> = string extends keyof Types ? BuiltInJobs : Types;

/** The payload of a job type. */
export type PayloadOf<Type extends string, Types = AnyJobs> = Type extends keyof Known<Types>
  ? PartOf<Known<Types>[Type], 'payload'>
  : object;

/** What the handler of a job type returns. */
export type ResultOf<Type extends string, Types = AnyJobs> = Type extends keyof Known<Types>
  ? PartOf<Known<Types>[Type], 'result'>
  : unknown;

type PartOf<Shape, Part extends keyof JobShape> = Shape extends JobShape ? Shape[Part] : never;

/** Stands for the result of a job, or for a part of it, in the payload of a job that waits for this job. */
export interface Reference {
  /** The id of the job, one of those in `after`. */
  $from: string;
  /** A JSON Pointer into the result, such as `/url`. Absent: the whole result. */
  path?: string;
}

/** A payload in which references may stand for values. */
export type Referring<Value> =
  | Reference
  // Of a payload without known fields, any object is one.
  | (object extends Value ? Value : Value extends object ? { [Name in keyof Value]: Referring<Value[Name]> } : Value);

/** The fields of a job that waits for others. */
export type WaitingFields = SubmissionFields & { after: NonNullable<SubmissionFields['after']> };

declare const TYPE: unique symbol;

/** The id of a job. It is a string that the compiler knows the type of its job by. */
export type JobId<Type extends string = string> = string & { readonly [TYPE]: Type };

/** A job to submit. Of several types, each with its own payload. With `after`, the payload may have references. */
export type NewJob<Type extends string = string, Types = AnyJobs> = Type extends string
  ?
      | (SubmissionFields & { type: Type; payload: PayloadOf<Type, Types> })
      | (WaitingFields & { type: Type; payload: Referring<PayloadOf<Type, Types>> })
  : never;

export type NewSchedule<Type extends string = string, Types = AnyJobs> = Omit<
  Schemas['NewSchedule'],
  'type' | 'payload'
> & { type: Type; payload: PayloadOf<Type, Types> };

/** A submitted job of a type that is known. */
export type SubmittedJobOf<Type extends string> = SubmittedJob & { id: JobId<Type> };

/** A job of a type that is known. Fields that the organization hides are not as typed. */
export type JobOf<Type extends string, Types = AnyJobs> = Job & {
  id: JobId<Type>;
  type: Type;
  payload: PayloadOf<Type, Types>;
};

/** The result of a job of a type that is known. A failed job has one if its provider reported it later. */
export type JobResultOf<Type extends string, Types = AnyJobs> =
  | (JobResult<ResultOf<Type, Types>> & { status: 'done' })
  | (JobResult<ResultOf<Type, Types> | null> & { status: Exclude<JobStatus, 'done'> });
