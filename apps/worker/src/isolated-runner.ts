import { type Artifact, type Catalogue, PermanentError, type Ports, type RunContext } from '@jobline/handlers';
import { traced } from '@jobline/runtime';
import { type FromIsolated, notStarted, type Thrown, type ToIsolated, toError, toThrown } from './isolated-protocol.js';

export interface IsolatedDeps {
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
