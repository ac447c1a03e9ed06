import type { Failure } from '@jobline/handlers/errors';

/**
 * The tasks on content that callers choose. They run in child processes, which load the code of a task when they first
 * run it. The parent imports only the types.
 */
export const TASKS = {
  fill: async () => (await import('../template/liquid.js')).fillText,
  variables: async () => (await import('../template/liquid.js')).variablesOf,
  textPart: async () => (await import('../email/text-part.js')).textPartOf,
  image: async () => (await import('../image/compress.js')).compressImage,
};

export type TaskName = keyof typeof TASKS;

type Run<K extends TaskName> = Awaited<ReturnType<(typeof TASKS)[K]>>;

/** The input of a task. It must be structured-cloneable. */
export type TaskInput<K extends TaskName> = Parameters<Run<K>>[0];

/** The output of a task. The task itself limits its size before it is sent to the parent. */
export type TaskOutput<K extends TaskName> = Awaited<ReturnType<Run<K>>>;

/** The requests to a child process, sent one at a time. */
export type ToCompute = { [K in TaskName]: { task: K; input: TaskInput<K> } }[TaskName];

/** The answers of a child process. */
export type FromCompute =
  /** The code of the task is loaded, and the task starts. With the processor time that the process has used so far. */
  | { kind: 'began'; cpuMs: number }
  | { kind: 'returned'; output: TaskOutput<TaskName> }
  | { kind: 'threw'; message: string; failure: Failure };
