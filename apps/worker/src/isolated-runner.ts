import { type Artifact, type Catalogue, PermanentError, type Ports, type RunContext } from '@jobline/handlers';
import { type Tracing, traced } from '@jobline/runtime';
import { type FromIsolated, notBegun, type Thrown, type ToIsolated, toError, toThrown } from './isolated-protocol.js';

export interface IsolatedDeps {
  catalogue: Catalogue;
  ports: Ports;
  tracing: Tracing;
  say(message: FromIsolated): void;
}

/** Runs the job that the worker sends, and answers what came of it. */
export function runFor({ catalogue, ports, tracing, say }: IsolatedDeps): (message: ToIsolated) => void {
  const controller = new AbortController();
  const saving = new Map<number, (fault: Thrown | null) => void>();

  function saveArtifact(artifact: Artifact): Promise<void> {
    const n = saving.size;
    say({ kind: 'artifact', n, artifact });
    return new Promise((resolve, reject) => {
      saving.set(n, (fault) => (fault === null ? resolve() : reject(toError(fault))));
    });
  }

  async function run({ type, payload, traceparent, ...ids }: Extract<ToIsolated, { kind: 'run' }>): Promise<void> {
    const { idempotencyKey, orgId, attempt } = ids;
    const ctx: RunContext = {
      idempotencyKey,
      orgId,
      attempt,
      signal: controller.signal,
      log: (level, message) => say({ kind: 'log', level, message }),
      saveArtifact,
      ports,
    };
    try {
      const handler = catalogue.get(type);
      // Its worker has one: the file has gone since that was started.
      if (!handler) throw notBegun(`no handler is registered for type "${type}"`);
      say({ kind: 'returned', json: toJson(await within(type, traceparent, () => handler.run(payload, ctx))) });
    } catch (thrown) {
      say({ kind: 'threw', ...toThrown(thrown) });
    }
  }

  /** The worker's attempt goes on here. */
  function within<T>(type: string, parent: string | null, work: () => Promise<T>): Promise<T> {
    return traced(tracing, () => ({ name: `run alone ${type}`, kind: 'internal', parent }), work);
  }

  return (message) => {
    if (message.kind === 'run') void run(message);
    if (message.kind === 'kept') saving.get(message.n)?.(message.fault);
    if (message.kind === 'abort') {
      controller.abort(Object.assign(new Error(message.message), { name: message.name }));
      say({ kind: 'aborting' });
    }
  };
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value) ?? 'null';
  } catch (cause) {
    throw new PermanentError('the handler returned something that JSON cannot hold', { cause });
  }
}
