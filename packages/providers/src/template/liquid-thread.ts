import { parentPort, workerData } from 'node:worker_threads';
import { createLiquidNow } from './liquid.js';
import type { FromLiquid, LiquidLimits, ToLiquid } from './liquid-messages.js';

/** The thread that templates of strangers are filled in: whatever they are, nothing else waits for them. */

// A template can have thousands of errors, and nobody reads where in the engine they were made.
Error.stackTraceLimit = 0;

// The cast: it is what the thread was made with.
const liquid = createLiquidNow(workerData as LiquidLimits);

parentPort?.on('message', (request: ToLiquid) => parentPort?.postMessage(answer(request)));
parentPort?.postMessage({ ready: true } satisfies FromLiquid);

function answer(request: ToLiquid): FromLiquid {
  try {
    if (request.kind === 'variables') return { value: liquid.variables(request.source) };
    return { value: liquid.fill(request.source, request.data, request.format) };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}
