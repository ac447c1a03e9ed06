import { getPriority, setPriority } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { failureOf } from '@jobline/handlers/errors';
import { type FromCompute, TASKS, type TaskName, type TaskOutput, type ToCompute } from './tasks.js';

/**
 * The child process that runs tasks on content that callers choose. It has no secrets and no connections, so it can be
 * killed at any time. It ends when its parent ends.
 */

/** A lower priority than that of the apps: the tasks of callers use the processor time that is left. Only root may raise it. */
setPriority(Math.max(10, getPriority()));

// A template can cause thousands of errors, and their stacks are never used.
Error.stackTraceLimit = 0;

// Signals to the process group are ignored: the parent handles them and finishes its work first.
process.on('SIGTERM', () => undefined);
process.on('SIGINT', () => undefined);
process.once('disconnect', () => process.exit(0));
// The cast: the parent sends nothing else.
process.on('message', (request) => void run(request as ToCompute));

async function run({ task, input }: ToCompute): Promise<void> {
  try {
    // The cast: a request has the input of its own task.
    const work = (await TASKS[task]()) as (given: unknown) => unknown;
    const { user, system } = process.cpuUsage();
    send({ kind: 'began', cpuMs: (user + system) / 1_000 });
    // Lets the message be sent before a task that never returns to the event loop.
    await setImmediate();
    // The cast: the task returns this output.
    send({ kind: 'returned', output: (await work(input)) as TaskOutput<TaskName> });
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    send({ kind: 'threw', message, failure: failureOf(thrown) });
  }
}

function send(message: FromCompute): void {
  if (process.connected) process.send?.(message);
}
