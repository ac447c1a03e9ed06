import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';
import { type Artifact, artifactIssue, defineHandler, type HandlerDefinition } from './define-handler.js';
import { checkPayload } from './payload.js';
import type { Ports } from './ports/index.js';

export interface LogLine {
  level: LogLevel;
  message: string;
}

export interface RunOptions {
  /** Fakes of the ports that the handler needs. Using any other port fails the run. */
  ports?: Partial<Ports>;
  signal?: AbortSignal;
  attempt?: number;
  orgId?: string;
  idempotencyKey?: string;
  /** Receives the log lines, also if the run throws. */
  logs?: LogLine[];
  /** Receives the artifacts. */
  artifacts?: Artifact[];
}

/**
 * Runs a handler once as a worker would, without any service. For tests of handlers. Rejects if the payload does not
 * match the schema, and with any error of the handler. There is no time limit.
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
    // The casts: any string can be an id here, because it is not looked up.
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
      throw new Error(`the handler used the port "${String(name)}", which the test does not provide`);
    },
  });
  // The cast: reading a port that was not provided throws, so a port is never undefined.
  return ports as Ports;
}
