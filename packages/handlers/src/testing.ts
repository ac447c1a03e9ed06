import type { JobKey, LogLevel, OrgId } from '@jobline/contracts';
import Joi from 'joi';
import {
  type Artifact,
  artifactIssue,
  checkProgress,
  defineHandler,
  type HandlerDefinition,
  type ReportedProgress,
  type RunContext,
  type RunningJob,
  type SubmitOptions,
} from './define-handler.js';
import { checkPayload } from './payload.js';
import type { Ports } from './ports/index.js';
import { sourceText, tooLargeSource } from './source.js';

export interface LogLine {
  level: LogLevel;
  message: string;
}

/** A call of `ctx.submit`. */
export interface Submitted {
  type: string;
  payload: object;
  options: SubmitOptions;
}

/** Members of the context that the handler receives. Each has a default. */
export interface RunOptions
  extends Partial<
    Pick<RunContext, 'signal' | 'attempt' | 'isLastAttempt' | 'log' | 'readSource' | 'saveArtifact' | 'submit'>
  > {
  /** Fakes of the ports that the handler needs. Using any other port fails the run. */
  ports?: Partial<Ports>;
  job?: Partial<RunningJob>;
  orgId?: string;
  idempotencyKey?: string;
  /** Receives the log lines, also if the run throws. */
  logs?: LogLine[];
  /** Receives the artifacts. */
  artifacts?: Artifact[];
  /** Receives what the handler reports with `progress`. */
  progress?: ReportedProgress[];
  /** Receives the submitted jobs. */
  submitted?: Submitted[];
}

/**
 * Runs a handler once as a worker would, without any service. For tests of handlers. Rejects if the payload does not
 * match the schema, and with any error of the handler. There is no time limit.
 */
export async function runHandler<P extends object>(
  definition: HandlerDefinition<P>,
  payload: P,
  options: RunOptions = {},
): Promise<{ result: unknown; logs: LogLine[]; artifacts: Artifact[]; submitted: Submitted[] }> {
  const { ports = {}, signal = new AbortController().signal, attempt = 1 } = options;
  const { logs = [], artifacts = [], submitted = [], progress = [] } = options;
  const handler = defineHandler(definition);
  const issues = await checkPayload(handler, payload);
  if (issues.length > 0) throw new Error(`invalid payload: ${issues.map(({ message }) => message).join('; ')}`);
  const result = await handler.run(payload, {
    // The casts: any string can be an id here, because it is not looked up.
    orgId: (options.orgId ?? 'test-org') as OrgId,
    idempotencyKey: (options.idempotencyKey ?? 'test-job') as JobKey,
    attempt,
    job: { ...jobOf(definition.type), ...options.job },
    isLastAttempt: options.isLastAttempt ?? false,
    signal,
    log(level, message) {
      logs.push({ level, message });
      options.log?.(level, message);
    },
    progress: (percent, text) => void progress.push(checkProgress(percent, text)),
    saveArtifact: async (artifact) => {
      const issue = artifactIssue(artifact);
      if (issue) throw new Error(issue);
      artifacts.push(artifact);
      await options.saveArtifact?.(artifact);
    },
    async readSource(source, maxBytes) {
      if (!options.readSource) throw new Error(`the test does not provide ${sourceText(source)}`);
      const read = await options.readSource(source, maxBytes);
      if (read.bytes.length > maxBytes) throw tooLargeSource(sourceText(source), read.bytes.length, maxBytes);
      return read;
    },
    async submit(type, payload, more = {}) {
      submitted.push({ type, payload, options: more });
      const job = { id: more.id ?? `submitted-${submitted.length}`, status: 'pending' as const };
      return (await options.submit?.(type, payload, more)) ?? job;
    },
    ports: onlyGiven(ports),
  });
  if (handler.result) Joi.assert(result, handler.result, { convert: false });
  return { result, logs, artifacts, submitted };
}

function jobOf(type: string): RunningJob {
  const now = new Date().toISOString();
  const times = { created_at: now, run_at: now, expires_at: null, planned_at: null };
  const counts = { priority: 0, retries: 0, max_retries: 0 };
  return { id: 'test-job', type, tags: [], key: null, schedule_id: null, ...counts, ...times };
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
