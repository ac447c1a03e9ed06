import type { Failure } from '@jobline/handlers/errors';
import type { TaskInput, TaskName, TaskOutput } from './tasks.js';

/** The requests to a child process, sent one at a time. */
export type ToCompute = { [K in TaskName]: { task: K; input: TaskInput<K> } }[TaskName];

/** The answers of a child process. */
export type FromCompute =
  /** The code of the task is loaded, and the task starts. */
  | { kind: 'began' }
  | { kind: 'returned'; output: TaskOutput<TaskName> }
  | { kind: 'threw'; message: string; failure: Failure };
