import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunIsolated } from '@jobline/engine';
import { messageOf, PermanentError, type RunContext } from '@jobline/handlers';
import { noTracing, type Tracing } from '@jobline/runtime';
import { type FromIsolated, notBegun, type Thrown, type ToIsolated, toError, toThrown } from './isolated-protocol.js';

export interface RunIsolatedOptions {
  /** How long a handler that ignores its signal is waited for. */
  graceMs: number;
  /** Absent: nothing is traced. */
  tracing?: Tracing;
  /** The program that runs the job. */
  entry?: string;
}

const ENTRY = fileURLToPath(new URL('./isolated-main.js', import.meta.url));
const START_LIMIT_MS = 25_000;
/** From its last word until it has closed its connections. */
const CLOSE_LIMIT_MS = 5_000;
const MAX_HEAP_MB = 512;

/**
 * Runs each job in a process of its own, with this worker's environment and handlers. Whatever the job does to that
 * process, this one learns of its end; and when this one ends, so does that.
 */
export function createRunIsolated({ graceMs, tracing = noTracing, entry = ENTRY }: RunIsolatedOptions): RunIsolated {
  return async (type, payload, ctx, begin) => {
    ctx.signal.throwIfAborted();
    const traceparent = tracing.traceparent();
    const child = start(entry);
    const killAfter = (ms: number) => setTimeout(() => child.kill('SIGKILL'), ms);
    const unheard = new AbortController();
    let deadline = killAfter(START_LIMIT_MS);
    let hasBegun = false;
    const onAbort = () => {
      if (!hasBegun) return unheard.abort(ctx.signal.reason);
      send(child, abortMessage(ctx.signal.reason));
      // Whoever does not even say that the signal has fired is frozen; the other may take a while to stop.
      deadline = killAfter(graceMs / 2);
    };
    ctx.signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await conversation(child, ctx, unheard.signal, {
        hasBegun: () => hasBegun,
        ready() {
          clearTimeout(deadline);
          hasBegun = true;
          begin();
          const { idempotencyKey, orgId, attempt } = ctx;
          send(child, { kind: 'run', type, payload, traceparent, idempotencyKey, orgId, attempt });
        },
        aborting() {
          clearTimeout(deadline);
          deadline = killAfter(2 * graceMs);
        },
      });
    } finally {
      ctx.signal.removeEventListener('abort', onAbort);
      clearTimeout(deadline);
      letGo(child);
    }
  };
}

function start(entry: string): ChildProcess {
  try {
    return fork(entry, [], {
      execArgv: ['--enable-source-maps', `--max-old-space-size=${MAX_HEAP_MB}`],
      serialization: 'advanced',
    });
  } catch (error) {
    throw notBegun(messageOf(error));
  }
}

/** Resolves with what the handler returned, rejects with what it threw, or because its process ended before that. */
function conversation(
  child: ChildProcess,
  ctx: RunContext,
  givenUp: AbortSignal,
  on: { hasBegun(): boolean; ready(): void; aborting(): void },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    function hear(message: FromIsolated): void {
      if (message.kind === 'ready') on.ready();
      else if (message.kind === 'aborting') on.aborting();
      else if (message.kind === 'log') ctx.log(message.level, message.message);
      else if (message.kind === 'artifact') void keep(child, ctx, message);
      else if (message.kind === 'returned') resolve(JSON.parse(message.json));
      else if (message.kind === 'threw') reject(toError(message));
    }
    child.on('message', (message) => {
      try {
        // The cast: the program is ours. The handler in it may say anything too, hence the try.
        hear(message as FromIsolated);
      } catch (error) {
        reject(error);
      }
    });
    givenUp.addEventListener('abort', () => reject(givenUp.reason), { once: true });
    child.once('error', (error) => reject(on.hasBegun() ? error : notBegun(error.message)));
    // Only its handler can have closed the channel while it runs.
    child.once('disconnect', () => letGo(child));
    // By the end of both, everything that it said has been heard.
    void Promise.all([ended(child, 'disconnect'), ended(child, 'exit')]).then(() =>
      reject(on.hasBegun() ? lost(child) : notBegun(howEnded(child))),
    );
  });
}

type Said<K extends FromIsolated['kind']> = Extract<FromIsolated, { kind: K }>;

async function keep(child: ChildProcess, ctx: RunContext, { n, artifact }: Said<'artifact'>): Promise<void> {
  let fault: Thrown | null = null;
  try {
    await ctx.saveArtifact(artifact);
  } catch (error) {
    fault = toThrown(error);
  }
  send(child, { kind: 'kept', n, fault });
}

function ended(child: ChildProcess, event: 'disconnect' | 'exit'): Promise<void> {
  return new Promise((resolve) => child.once(event, () => resolve()));
}

function lost(child: ChildProcess): PermanentError {
  const message = `its workers were lost, and the process in which it ran alone ended too (${howEnded(child)})`;
  return new PermanentError(message, { code: 'worker_lost' });
}

function howEnded({ signalCode, exitCode }: ChildProcess): string {
  return signalCode ?? `exit ${exitCode}`;
}

function abortMessage(reason: unknown): ToIsolated {
  const { name, message } = reason instanceof Error ? reason : { name: 'AbortError', message: String(reason) };
  return { kind: 'abort', name, message };
}

/** A process that cannot be told any more is about to be known as ended. */
function send(child: ChildProcess, message: ToIsolated): void {
  if (child.connected) child.send(message, () => undefined);
}

/** It ends by itself once it is left alone; if not, it is ended. */
function letGo(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS);
  child.once('exit', () => clearTimeout(timer));
  if (child.connected) child.disconnect();
}
