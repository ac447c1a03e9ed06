import {
  type Artifact,
  type Catalogue,
  type Failure,
  failureOf,
  HandlerError,
  messageOf,
  PermanentError,
  type Ports,
  Postponed,
  RetryLater,
  type RunContext,
} from '@jobline/handlers';
import { traced } from '@jobline/runtime';

/** The messages of a worker to its isolated process. */
export type ToIsolated =
  | ({ kind: 'run'; type: string; payload: object; traceparent: string | null } & Pick<
      RunContext,
      'idempotencyKey' | 'orgId' | 'attempt'
    >)
  /** The signal of the handler must fire, for this reason. */
  | { kind: 'abort'; name: string; message: string }
  /** The answer to an artifact: the error if it could not be stored, or null. */
  | { kind: 'artifact-saved'; n: number; error: Thrown | null };

/** An error of one process, in a form that the other process can throw again. */
export interface Thrown {
  message: string;
  failure: Failure;
}

/** The messages of the isolated process to its worker. */
export type FromIsolated =
  /** Its handlers are loaded. */
  | { kind: 'ready' }
  | { kind: 'log'; level: Parameters<RunContext['log']>[0]; message: string }
  | { kind: 'artifact'; n: number; artifact: Artifact }
  /** The signal has fired, so the process is not frozen. */
  | { kind: 'aborting' }
  /** The result as JSON, because it is stored as JSON. */
  | { kind: 'returned'; json: string }
  | ({ kind: 'threw' } & Thrown);

export function toThrown(thrown: unknown): Thrown {
  return { message: messageOf(thrown), failure: failureOf(thrown) };
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

/** Converts the message into an equivalent error. */
export function toError({ message, failure: { code, isPermanent, isPostponed, delayMs } }: Thrown): HandlerError {
  if (isPermanent) return new PermanentError(message, { code });
  if (isPostponed) return new Postponed(delayMs, message);
  return delayMs > 0 ? new RetryLater(delayMs, message, { code }) : new HandlerError(code, message);
}

interface IsolatedDeps {
  catalogue: Catalogue;
  ports: Ports;
  send(message: FromIsolated): void;
}

/** Runs the job that the worker sends, and sends its result. */
export function createIsolatedRunner({ catalogue, ports, send }: IsolatedDeps): (message: ToIsolated) => void {
  const controller = new AbortController();
  const saving = new Map<number, (error: Thrown | null) => void>();

  function saveArtifact(artifact: Artifact): Promise<void> {
    const n = saving.size;
    send({ kind: 'artifact', n, artifact });
    return new Promise((resolve, reject) => {
      saving.set(n, (error) => (error === null ? resolve() : reject(toError(error))));
    });
  }

  async function run({ type, payload, traceparent, ...ids }: Extract<ToIsolated, { kind: 'run' }>): Promise<void> {
    const { idempotencyKey, orgId, attempt } = ids;
    const ctx: RunContext = {
      idempotencyKey,
      orgId,
      attempt,
      signal: controller.signal,
      log: (level, message) => send({ kind: 'log', level, message }),
      saveArtifact,
      ports,
    };
    try {
      const handler = catalogue.get(type);
      // The worker has a handler: its file was removed after the worker started.
      if (!handler) throw notStarted(`no handler is registered for type "${type}"`);
      // Continues the trace of the attempt of the worker.
      const span = { parent: traceparent };
      const value = await traced(`run isolated ${type}`, span, () => handler.run(payload, ctx));
      send({ kind: 'returned', json: toJson(value) });
    } catch (thrown) {
      send({ kind: 'threw', ...toThrown(thrown) });
    }
  }

  return (message) => {
    if (message.kind === 'run') void run(message);
    if (message.kind === 'artifact-saved') saving.get(message.n)?.(message.error);
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
