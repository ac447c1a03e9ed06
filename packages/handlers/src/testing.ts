import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';
import { type Artifact, artifactIssue } from './artifact.js';
import { defineHandler, type HandlerDefinition } from './define-handler.js';
import { checkPayload } from './payload.js';
import type { Ports } from './ports/index.js';

export interface LogLine {
  level: LogLevel;
  message: string;
}

export interface RunOptions {
  /** The ports that the handler should need, faked. Touching any other fails the run. */
  ports?: Partial<Ports>;
  signal?: AbortSignal;
  attempt?: number;
  orgId?: string;
  idempotencyKey?: string;
  /** Filled with the lines of the log: for a run that throws. */
  logs?: LogLine[];
  /** Filled with the artifacts. */
  artifacts?: Artifact[];
}

/**
 * Runs a handler once as a worker would, with no service behind it: for tests of handlers. Rejects when the payload
 * breaks the handler's schema, and with whatever the handler throws. It sets no time limit.
 */
export async function runHandler<P extends object>(
  definition: HandlerDefinition<P>,
  payload: P,
  options: RunOptions = {},
): Promise<{ result: unknown; logs: LogLine[]; artifacts: Artifact[] }> {
  const { ports = {}, signal = new AbortController().signal, attempt = 1, logs = [], artifacts = [] } = options;
  const handler = defineHandler(definition);
  const issues = await checkPayload(handler, payload);
  if (issues.length > 0) throw new Error(`invalid payload: ${issues.map(({ message }) => message).join('; ')}`);
  const result = await handler.run(payload, {
    // Any string is an id here: nothing looks it up.
    orgId: (options.orgId ?? 'test-org') as OrgId,
    idempotencyKey: (options.idempotencyKey ?? 'test-job') as JobKey,
    attempt,
    signal,
    log: (level, message) => void logs.push({ level, message }),
    saveArtifact: async (artifact) => {
      const issue = artifactIssue(artifact);
      if (issue) throw new Error(issue);
      artifacts.push(artifact);
    },
    ports: onlyGiven(ports),
  });
  return { result, logs, artifacts };
}

function onlyGiven(given: Partial<Ports>): Ports {
  const ports = new Proxy(given, {
    get(target, name) {
      if (name in target) return Reflect.get(target, name);
      throw new Error(`the handler used the port "${String(name)}", which this test does not give`);
    },
  });
  // Holds for whoever reads it: a port that is not there throws instead of being undefined.
  return ports as Ports;
}
