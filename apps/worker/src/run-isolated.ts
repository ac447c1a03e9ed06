import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { RunIsolated } from '@jobline/engine';
import { messageOf, PermanentError, type RunContext } from '@jobline/handlers';
import { activeTraceparent } from '@jobline/runtime';
import { type FromIsolated, notStarted, type Thrown, type ToIsolated, toError, toThrown } from './isolated-runner.js';

interface RunIsolatedOptions {
  /** How long to wait for a handler that ignores its signal. */
  graceMs: number;
  /** The program that runs the job. */
  entry?: string;
}

const ENTRY = fileURLToPath(new URL('./isolated-main.js', import.meta.url));
const START_LIMIT_MS = 25_000;
/** Time limit from its last message until its handler and its connections are closed. */
const CLOSE_LIMIT_MS = 15_000;
const MAX_HEAP_MB = 512;

/**
 * Runs each job in its own process, with the environment and the handlers of this worker. Whatever the job does to
 * that process, this process notices its end; and when this process ends, the other one ends too.
 */
export function createRunIsolated({ graceMs, entry = ENTRY }: RunIsolatedOptions): RunIsolated {
  return async (type, payload, ctx, begin) => {
    ctx.signal.throwIfAborted();
    const traceparent = activeTraceparent();
    const child = start(entry, type);
    const killAfter = (ms: number) => setTimeout(() => child.kill('SIGKILL'), ms);
    const startAborted = new AbortController();
    let deadline = killAfter(START_LIMIT_MS);
    let hasBegun = false;
    const onAbort = () => {
      if (!hasBegun) return startAborted.abort(ctx.signal.reason);
      send(child, abortMessage(ctx.signal.reason));
      // A process that does not even confirm that the signal has fired is frozen. One that does may need some time to
      // stop.
      deadline = killAfter(graceMs / 2);
    };
    ctx.signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await exchangeMessages(child, ctx, startAborted.signal, {
        hasBegun: () => hasBegun,
        ready() {
          clearTimeout(deadline);
          hasBegun = true;
          begin();
          const { idempotencyKey, orgId, attempt, job, isLastAttempt } = ctx;
          const ids = { idempotencyKey, orgId, attempt, job, isLastAttempt };
          send(child, { kind: 'run', type, payload, traceparent, ...ids });
        },
        aborting() {
          clearTimeout(deadline);
          deadline = killAfter(2 * graceMs);
        },
      });
    } finally {
      ctx.signal.removeEventListener('abort', onAbort);
      clearTimeout(deadline);
      disconnect(child);
    }
  };
}

function start(entry: string, type: string): ChildProcess {
  try {
    return fork(entry, [type], {
      execArgv: ['--enable-source-maps', `--max-old-space-size=${MAX_HEAP_MB}`],
      serialization: 'advanced',
    });
  } catch (error) {
    throw notStarted(messageOf(error));
  }
}

/**
 * Exchanges messages with the process. Resolves with the result of the handler. Rejects with the error of the handler,
 * or because the process ended before.
 */
function exchangeMessages(
  child: ChildProcess,
  ctx: RunContext,
  abandoned: AbortSignal,
  on: { hasBegun(): boolean; ready(): void; aborting(): void },
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    function onMessage(message: FromIsolated): void {
      if (message.kind === 'ready') on.ready();
      else if (message.kind === 'aborting') on.aborting();
      else if (message.kind === 'log') ctx.log(message.level, message.message);
      else if (message.kind === 'progress') ctx.progress(message.percent, message.text ?? undefined);
      else if (message.kind === 'artifact') void save(child, ctx, message);
      else if (message.kind === 'read-source') void readSource(child, ctx, message);
      else if (message.kind === 'submit') void submit(child, ctx, message);
      else if (message.kind === 'returned') resolve(JSON.parse(message.json));
      else if (message.kind === 'threw') reject(toError(message));
    }
    child.on('message', (message) => {
      try {
        // The cast: the program is ours. Its handler may send any message too, hence the try.
        onMessage(message as FromIsolated);
      } catch (error) {
        reject(error);
      }
    });
    abandoned.addEventListener('abort', () => reject(abandoned.reason), { once: true });
    child.once('error', (error) => reject(on.hasBegun() ? error : notStarted(error.message)));
    // Only the handler can have closed the channel while it runs.
    child.once('disconnect', () => disconnect(child));
    // After both events, all of its messages have been received.
    void Promise.all([ended(child, 'disconnect'), ended(child, 'exit')]).then(() =>
      reject(on.hasBegun() ? workerLost(child) : notStarted(howEnded(child))),
    );
  });
}

type MessageOf<K extends FromIsolated['kind']> = Extract<FromIsolated, { kind: K }>;

async function save(child: ChildProcess, ctx: RunContext, { n, artifact }: MessageOf<'artifact'>): Promise<void> {
  let failure: Thrown | null = null;
  try {
    await ctx.saveArtifact(artifact);
  } catch (error) {
    failure = toThrown(error);
  }
  send(child, { kind: 'artifact-saved', n, error: failure });
}

async function readSource(
  child: ChildProcess,
  ctx: RunContext,
  { n, source, maxBytes }: MessageOf<'read-source'>,
): Promise<void> {
  const read = await ctx.readSource(source, maxBytes).catch(toThrown);
  send(child, { kind: 'source-read', n, read });
}

async function submit(child: ChildProcess, ctx: RunContext, { n, json }: MessageOf<'submit'>): Promise<void> {
  try {
    // The cast: the process has written the arguments. Its handler may have passed any value, which `submit` checks.
    const [type, payload, options] = JSON.parse(json) as Parameters<RunContext['submit']>;
    send(child, { kind: 'submitted', n, job: await ctx.submit(type, payload, options) });
  } catch (error) {
    const { code, details } = Object.fromEntries(Object.entries(Object(error)));
    send(child, { kind: 'not-submitted', n, error: { message: messageOf(error), code, details } });
  }
}

function ended(child: ChildProcess, event: 'disconnect' | 'exit'): Promise<void> {
  return new Promise((resolve) => child.once(event, () => resolve()));
}

function workerLost(child: ChildProcess): PermanentError {
  const message = `it crashed its workers, and the isolated process in which it ran ended too (${howEnded(child)})`;
  return new PermanentError(message, { code: 'worker_lost' });
}

function howEnded({ signalCode, exitCode }: ChildProcess): string {
  return signalCode ?? `exit ${exitCode}`;
}

function abortMessage(reason: unknown): ToIsolated {
  const { name, message } = reason instanceof Error ? reason : { name: 'AbortError', message: String(reason) };
  return { kind: 'abort', name, message };
}

/** Sends a message. If the process is disconnected, its end will be noticed soon. */
function send(child: ChildProcess, message: ToIsolated): void {
  if (child.connected) child.send(message, () => undefined);
}

/** Disconnects the process, which then ends by itself. If it does not, it is killed. */
function disconnect(child: ChildProcess): void {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const timer = setTimeout(() => child.kill('SIGKILL'), CLOSE_LIMIT_MS);
  child.once('exit', () => clearTimeout(timer));
  if (child.connected) child.disconnect();
}
