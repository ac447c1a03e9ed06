import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { PermanentError } from '@jobline/handlers/errors';
import type { Filled, Liquid } from '@jobline/handlers/ports';
import { cannotRender } from './cannot-render.js';
import type { FromLiquid, LiquidLimits, ToLiquid } from './liquid-messages.js';
import { createTurns } from './turns.js';

/** Parsing has no limit of its own, nor has a single filter: what takes so much longer is ended with its thread. */
const GRACE_MS = 1_000;
const START_WITHIN_MS = 30_000;
const MAX_MEMORY_MB = 256;

/**
 * Liquid in a thread of its own: no template, however it is made, holds up this process. The thread comes with the first
 * request, works on one at a time and does not keep the process alive.
 */
export function createLiquid(limits: LiquidLimits): Liquid & { close(): Promise<void> } {
  let thread: Worker | null = null;
  const inTurn = createTurns();

  async function started(): Promise<Worker> {
    if (thread) return thread;
    const made = new Worker(threadFile(), {
      workerData: limits,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    });
    made.unref();
    await answerOf(made, START_WITHIN_MS);
    thread = made;
    return made;
  }

  async function ask(request: ToLiquid): Promise<Filled | string[]> {
    const current = await started();
    current.postMessage(request);
    const answer = await answerOf(current, limits.renderLimitMs + GRACE_MS).catch((cause: Error) => {
      thread = null;
      throw cannotRender(cause.message, cause);
    });
    if ('value' in answer) return answer.value;
    throw new PermanentError('fault' in answer ? answer.fault : 'the thread began anew', { code: 'invalid_payload' });
  }

  return {
    async fill(orgId, source, data, format) {
      const filled = await inTurn(orgId, () => ask({ kind: 'fill', source, data, format }));
      if (Array.isArray(filled)) throw new Error('the thread answered another request');
      return filled;
    },
    async variables(orgId, source) {
      const names = await inTurn(orgId, () => ask({ kind: 'variables', source }));
      if (!Array.isArray(names)) throw new Error('the thread answered another request');
      return names;
    },
    async close() {
      await thread?.terminate();
    },
  };
}

/** By the package's own name: a thread runs built files, wherever this one is run from. */
function threadFile(): string {
  return createRequire(import.meta.url).resolve('@jobline/providers/liquid-thread');
}

/** The thread's next message. A thread that gives none in time, or that fails, is ended. */
function answerOf(thread: Worker, limitMs: number): Promise<FromLiquid> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => fail(new Error('it takes too long')), limitMs);
    const fail = (error: Error) => {
      settle(() => reject(error));
      // Nobody hears it any more: what it still throws is of no interest.
      thread.on('error', () => undefined);
      void thread.terminate();
    };
    const ended = (code: number) => fail(new Error(`its thread ended with code ${code}`));
    const heard = (answer: FromLiquid) => settle(() => resolve(answer));
    function settle(how: () => void): void {
      clearTimeout(limit);
      thread.off('message', heard).off('error', fail).off('exit', ended);
      how();
    }
    thread.on('message', heard).on('error', fail).on('exit', ended);
  });
}
