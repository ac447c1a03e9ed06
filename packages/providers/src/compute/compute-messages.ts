import type { Failure } from '@jobline/handlers/errors';
import type { TaskInput, TaskName, TaskOutput } from './tasks.js';

/** What a child process is asked, one request at a time. */
export type ToCompute = { [K in TaskName]: { task: K; input: TaskInput<K> } }[TaskName];

/** What a child process answers. */
export type FromCompute =
  /** The code of the task is loaded, and the task begins. */
  | { kind: 'began' }
  | { kind: 'returned'; output: TaskOutput<TaskName> }
  | { kind: 'threw'; message: string; failure: Failure };
