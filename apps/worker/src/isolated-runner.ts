import { stackOf } from '@jobline/engine';
import {
  type Artifact,
  type Catalogue,
  checkProgress,
  type Failure,
  failureOf,
  HandlerError,
  messageOf,
  PermanentError,
  type Ports,
  Postponed,
  type ReportedProgress,
  RetryLater,
  type RunContext,
  type Source,
  type SourceBytes,
  type SubmittedJob,
} from '@jobline/handlers';
import { traced } from '@jobline/runtime';

/** The messages of a worker to its isolated process. */
export type ToIsolated =
  | ({ kind: 'run'; type: string; payload: object; traceparent: string | null } & Pick<
      RunContext,
      'idempotencyKey' | 'orgId' | 'attempt' | 'job' | 'isLastAttempt'
    >)
  /** The signal of the handler must fire, for this reason. */
  | { kind: 'abort'; name: string; message: string }
  /** The answer to an artifact: the error if it could not be stored, or null. */
  | { kind: 'artifact-saved'; n: number; error: Thrown | null }
  /** The answer to a read. */
  | { kind: 'source-read'; n: number; read: SourceBytes | Thrown }
  /** The answer to a submission: the job, or the parts of the error. */
  | { kind: 'submitted'; n: number; job: SubmittedJob }
  | { kind: 'not-submitted'; n: number; error: RejectedSubmit };

/** An error of one process, in a form that the other process can throw again. */
export interface Thrown {
  message: string;
  failure: Failure;
  stack: string | null;
}

/** The messages of the isolated process to its worker. */
export type FromIsolated =
  /** Its handlers are loaded. */
  | { kind: 'ready' }
  | { kind: 'log'; level: Parameters<RunContext['log']>[0]; message: string }
  | { kind: 'artifact'; n: number; artifact: Artifact }
  | { kind: 'read-source'; n: number; source: Source; maxBytes: number }
  | ({ kind: 'progress' } & ReportedProgress)
  /** The arguments of `submit` as JSON, because a payload is JSON. */
  | { kind: 'submit'; n: number; json: string }
  /** The signal has fired, so the process is not frozen. */
  | { kind: 'aborting' }
  /** The result as JSON, because it is stored as JSON. */
  | { kind: 'returned'; json: string }
  | ({ kind: 'threw' } & Thrown);

/** The parts of an error of `submit` that its handler may read. */
export interface RejectedSubmit {
  message: string;
  code?: unknown;
  details?: unknown;
}

export function toThrown(thrown: unknown): Thrown {
  return { message: messageOf(thrown), failure: failureOf(thrown), stack: stackOf(thrown) };
}

/** The delay of a job whose isolated process could not start. */
const START_AGAIN_MS = 10_000;

/**
 * Returns the error for an isolated process that could not start. Nothing of the job has run, so the job is not the
 * cause: it runs again and uses no retry.
 */
export function notStarted(why: string): Postponed {
  return new Postponed(START_AGAIN_MS, `its isolated process could not start (${why})`);
}

/** Converts the message into an equivalent error, with the stack of the other process. */
export function toError({ message, failure, stack }: Thrown): HandlerError {
  return Object.assign(withoutStack(message, failure), { stack: stack ?? '' });
}

function withoutStack(message: string, { code, isPermanent, isPostponed, delayMs }: Failure): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  if (isPostponed) return new Postponed(delayMs, message);
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}

/** The latest progress is sent at most this often. */
const PROGRESS_EVERY_MS = 200;

interface IsolatedDeps {
  catalogue: Catalogue;
  ports: Ports;
  send(message: FromIsolated): void;
}

/** Runs the job that the worker sends, and sends its result. */
export function createIsolatedRunner({ catalogue, ports, send }: IsolatedDeps): (message: ToIsolated) => void {
  const controller = new AbortController();
  const saving = new Map<number, (error: Thrown | null) => void>();
  const reading = new Map<number, { resolve(read: SourceBytes): void; reject(error: Error): void }>();
  const submitting = new Map<number, { resolve(job: SubmittedJob): void; reject(error: Error): void }>();

  function saveArtifact(artifact: Artifact): Promise<void> {
    const n = saving.size;
    send({ kind: 'artifact', n, artifact });
    return new Promise((resolve, reject) => {
      saving.set(n, (error) => (error === null ? resolve() : reject(toError(error))));
    });
  }

  function readSource(source: Source, maxBytes: number): Promise<SourceBytes> {
    const n = reading.size;
    send({ kind: 'read-source', n, source, maxBytes });
    return new Promise((resolve, reject) => reading.set(n, { resolve, reject }));
  }

  let progress: ReportedProgress | null = null;
  let isSendDue = false;

  function reportProgress(percent: number, text?: string): void {
    progress = checkProgress(percent, text);
    if (!isSendDue) setTimeout(sendProgress, PROGRESS_EVERY_MS);
    isSendDue = true;
  }

  function sendProgress(): void {
    if (progress) send({ kind: 'progress', ...progress });
    progress = null;
    isSendDue = false;
  }

  /** It rejects here if the arguments are not JSON, and in the worker for every other reason. */
  async function submit(...args: Parameters<RunContext['submit']>): Promise<SubmittedJob> {
    const n = submitting.size;
    send({ kind: 'submit', n, json: JSON.stringify(args) });
    return new Promise((resolve, reject) => submitting.set(n, { resolve, reject }));
  }

  async function run({
    kind: _,
    type,
    payload,
    traceparent,
    ...ids
  }: Extract<ToIsolated, { kind: 'run' }>): Promise<void> {
    const ctx: RunContext = {
      ...ids,
      signal: controller.signal,
      log: (level, message) => send({ kind: 'log', level, message }),
      saveArtifact,
      readSource,
      progress: reportProgress,
      submit,
      ports,
    };
    try {
      const handler = catalogue.get(type);
      // The worker has a handler: its file was removed after the worker started.
      if (!handler) throw notStarted(`no handler is registered for type "${type}"`);
      // Continues the trace of the attempt of the worker.
      const span = { parent: traceparent };
      const value = await traced(`run isolated ${type}`, span, () => handler.run(payload, ctx));
      const json = toJson(value);
      sendProgress();
      send({ kind: 'returned', json });
    } catch (thrown) {
      sendProgress();
      send({ kind: 'threw', ...toThrown(thrown) });
    }
  }

  return (message) => {
    if (message.kind === 'run') void run(message);
    if (message.kind === 'artifact-saved') saving.get(message.n)?.(message.error);
    if (message.kind === 'source-read') {
      if ('failure' in message.read) reading.get(message.n)?.reject(toError(message.read));
      else reading.get(message.n)?.resolve(message.read);
    }
    if (message.kind === 'submitted') submitting.get(message.n)?.resolve(message.job);
    if (message.kind === 'not-submitted') {
      const { message: text, ...more } = message.error;
      submitting.get(message.n)?.reject(Object.assign(new Error(text), more));
    }
    if (message.kind === 'abort') {
      controller.abort(Object.assign(new Error(message.message), { name: message.name }));
      send({ kind: 'aborting' });
    }
  };
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw new PermanentError('the handler returned a value that cannot be written as JSON', { cause });
  }
}
