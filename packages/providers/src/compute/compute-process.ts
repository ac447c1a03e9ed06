import { setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { failureOf } from '@jobline/handlers/errors';
import type { FromCompute, ToCompute } from './compute-messages.js';
import { TASKS, type TaskName, type TaskOutput } from './tasks.js';

/**
 * A child process that runs tasks on content that callers choose. It has no secrets and no connections, so that it can
 * be killed at any moment, and it ends when its parent does.
 */

/** Lower than that of the apps: what callers have computed takes the processor time that is left over. */
setPriority(10);

// A template can have thousands of errors, and their stacks are never read.
Error.stackTraceLimit = 0;

// A signal to the process group is for the parent, which finishes its work first.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
// The cast: the parent sends nothing else.
process.on('message', (request) => void run(request as ToCompute));

async function run({ task, input }: ToCompute): Promise<void> {
  try {
    // The cast: a request has the input of its own task.
    const work = (await TASKS[task]()) as (given: unknown) => unknown;
    send({ kind: 'began' });
    // The message leaves the process before a task that never returns to the event loop.
    await setImmediate();
    // The cast: that is what such a task returns.
    send({ kind: 'returned', output: (await work(input)) as TaskOutput<TaskName> });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    send({ kind: 'threw', message, failure: failureOf(thrown) });
  }
}

function send(message: FromCompute): void {
  if (process.connected) process.send?.(message);
}
