/**
 * The computations on content that callers choose: they run in child processes, which load what a task needs with its
 * first run. The parent imports the types alone.
 */
export const TASKS = {
  fill: async () => (await import('../template/liquid.js')).fillText,
  variables: async () => (await import('../template/liquid.js')).variablesOf,
  image: async () => (await import('../image/compress.js')).compressImage,
  summary: async () => (await import('../ai/summarize.js')).summarizeText,
};

export type TaskName = keyof typeof TASKS;

type Run<K extends TaskName> = Awaited<ReturnType<(typeof TASKS)[K]>>;

/** What a task is given; it passes through the structured clone algorithm. */
export type TaskInput<K extends TaskName> = Parameters<Run<K>>[0];

/** What a task returns. It is bounded by the task itself, before it is sent to the parent. */
export type TaskOutput<K extends TaskName> = Awaited<ReturnType<Run<K>>>;
