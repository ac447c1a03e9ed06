import { getHeapStatistics } from 'node:v8';
import type { JsonObject } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { type Claim, readPayload } from '@jobline/db/job-transitions';
import {
  checkPayload,
  checkProgress,
  createCatalogue,
  DELIVERY_TYPE,
  failureOf,
  type Handler,
  ignoredFields,
  PermanentError,
  type RunContext,
  type RunningJob,
} from '@jobline/handlers';
import { createFairLimiter } from '@jobline/runtime';
import type { WorkOptions } from '../options.js';
import { NOTES, REASONS } from '../reporting/job-log.js';
import { isIsolated } from './crash-isolation.js';
import { stackOf } from './handler-stack.js';
import type { HandlerResult } from './outcome.js';
import type { ProgressReports } from './progress.js';
import type { StartSourceReads } from './read-source.js';
import type { ResolveReferences } from './resolve-references.js';
import { type Attempt, Cancellation, Interruption, type Stop } from './runs.js';
import type { SaveArtifact } from './save-artifact.js';
import type { SubmitFromRun } from './submit-from-run.js';

/** The result of a handler, and whether the handler still runs although its signal has fired. */
interface Execution {
  result: HandlerResult;
  /** Resolves when the handler has returned. Null if it has returned already. */
  unresponsive: Promise<void> | null;
}

export type HandlerCalls = ReturnType<typeof createHandlerCalls>;

interface HandlerCallsDeps extends Pick<WorkOptions, 'catalogue' | 'portsFor' | 'runIsolated' | 'events' | 'graceMs'> {
  holdPayload: HoldPayload;
  resolveReferences: ResolveReferences;
  startSourceReads: StartSourceReads;
  saveArtifact: SaveArtifact;
  progress: Pick<ProgressReports, 'report'>;
  submitFromRun: SubmitFromRun;
}

/** Time limit for the start of an isolated process. It does not count against the time limit of the handler. */
const START_LIMIT_MS = 30_000;
const NOTHING = (): void => undefined;
const BUILT_IN_TYPES: ReadonlySet<string> = new Set([...createCatalogue().keys(), DELIVERY_TYPE]);

export function createHandlerCalls(deps: HandlerCallsDeps) {
  const { catalogue, portsFor, runIsolated, saveArtifact, submitFromRun, events, graceMs } = deps;

  /**
   * Runs the handler of a claimed job under its time limit. Never rejects. The signal of the handler fires when the
   * limit has passed, or when the run is interrupted or canceled. A handler that ignores the signal is no longer awaited
   * after `graceMs`.
   */
  async function call(attempt: Attempt): Promise<Execution> {
    const { claim, stop } = attempt;
    const handler = catalogue.get(claim.type);
    if (!handler)
      return { result: { kind: 'threw', error: new Error(`no handler for "${claim.type}"`) }, unresponsive: null };

    const limitMs = handler.timeoutMs;
    const payload = claim.payload === null ? await holdPayload(attempt) : { text: claim.payload, release: NOTHING };
    const before = forcedResult(stop, limitMs);
    if (payload === null || before) {
      payload?.release();
      return { result: before ?? { kind: 'interrupted', reason: REASONS.payloadUnread }, unresponsive: null };
    }
    const fire = () => stop.fire(new TimeLimit());
    let limit = setTimeout(fire, isIsolated(claim) ? START_LIMIT_MS + limitMs : limitMs);
    const begin = () => {
      clearTimeout(limit);
      if (!stop.reason()) limit = setTimeout(fire, limitMs);
    };
    let result: HandlerResult | null = null;
    const running = callHandler(handler, attempt, payload.text, begin).then((own) => {
      payload.release();
      result = decideResult(own, forcedResult(stop, limitMs));
    });
    await untilReturned(running, stop, graceMs);
    clearTimeout(limit);
    if (result) return { result, unresponsive: null };
    const forced = forcedResult(stop, limitMs);
    if (!forced) throw new Error('a handler is no longer awaited although its signal has not fired');
    return { result: forced, unresponsive: running };
  }

  /** Returns null if the payload could not be read, or if the run was stopped before there was memory for it. */
  async function holdPayload({ claim, stop }: Attempt): Promise<HeldPayload | null> {
    try {
      return await deps.holdPayload(claim, stop);
    } catch (error) {
      if (!stop.reason()) events.emit('step.failed', { step: 'read payload', error });
      return null;
    }
  }

  async function callHandler(
    handler: Handler,
    attempt: Attempt,
    text: string,
    begin: () => void,
  ): Promise<HandlerResult> {
    const { claim, stop, log } = attempt;
    let hasBegun = false;
    // The cast: only objects are stored as payloads.
    let payload = JSON.parse(text) as JsonObject;
    const sources = deps.startSourceReads(attempt, () => handler.sources?.(payload) ?? []);
    try {
      const ctx: RunContext = {
        idempotencyKey: claim.key,
        orgId: claim.orgId,
        attempt: claim.attempt,
        get job() {
          return toRunningJob(claim);
        },
        isLastAttempt: claim.retries >= claim.maxRetries,
        submit: submitFromRun(attempt),
        get signal() {
          return stop.signal();
        },
        log: (level, message) => log.write(level, message),
        progress: (percent, text) => {
          const valid = checkProgress(percent, text);
          deps.progress.report(attempt, valid.percent, valid.text);
        },
        saveArtifact: (artifact) => saveArtifact(attempt, artifact),
        readSource: sources.read,
        ports: portsFor(claim.orgId),
      };
      if (claim.refers) payload = await deps.resolveReferences(attempt, payload);
      const issues = await checkPayload(handler, payload);
      if (issues.length > 0) {
        const message = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
        throw new RefusedPayload(message, { code: 'invalid_payload' });
      }
      const ignored = ignoredFields(handler, payload);
      if (ignored.length > 0) log.write('warn', NOTES.ignored(ignored), 'note');
      // A handler that subscribes only now would not be notified of a signal that fired during the validation.
      const reason = stop.reason();
      if (reason) throw reason;
      hasBegun = true;
      if (!isIsolated(claim)) return { kind: 'returned', value: await handler.run(payload, ctx) };
      log.write('warn', NOTES.isolated(claim.crashCount), 'note');
      return { kind: 'returned', value: await runIsolated(claim.type, payload, ctx, begin) };
    } catch (error) {
      const threw: HandlerResult = { kind: 'threw', error };
      const isOfHandler = hasBegun && !BUILT_IN_TYPES.has(claim.type) && !isProcessGone(threw);
      return isOfHandler ? { ...threw, stack: stackOf(error) } : threw;
    } finally {
      sources.release();
    }
  }

  return { call };
}

/** The schema of this worker refuses the payload, so the handler was not called. */
class RefusedPayload extends PermanentError {
  constructor(...args: ConstructorParameters<typeof PermanentError>) {
    super(...args);
    refusedPayloads.add(this);
  }
}

/** A handler may throw a value that `instanceof` cannot inspect. */
const refusedPayloads = new WeakSet<object>();

/** Whether a worker with another schema may accept the payload. */
export function isRefused(result: HandlerResult): boolean {
  return (
    result.kind === 'threw' &&
    typeof result.error === 'object' &&
    result.error !== null &&
    refusedPayloads.has(result.error)
  );
}

function toRunningJob(claim: Claim): RunningJob {
  const { id, type, tags, limitKey, priority, retries, maxRetries, scheduleId } = claim;
  return {
    id,
    type,
    tags: [...(tags ?? [])],
    key: limitKey,
    priority,
    retries,
    max_retries: maxRetries,
    created_at: claim.createdAt.toISOString(),
    run_at: claim.runAt.toISOString(),
    expires_at: claim.expiresAt?.toISOString() ?? null,
    schedule_id: scheduleId,
    planned_at: claim.plannedAt?.toISOString() ?? null,
  };
}

class TimeLimit extends Error {
  constructor() {
    super('the time limit has passed');
    this.name = 'TimeoutError';
  }
}

/**
 * Decides between the own result of the handler and the result of its signal. After the time limit the attempt has
 * failed, whatever the handler did in the end. A handler that completed its work although it was interrupted or
 * canceled has completed it. If a canceled handler throws its own permanent error, that error is recorded because it
 * says more.
 */
function decideResult(own: HandlerResult, forced: HandlerResult | null): HandlerResult {
  if (!forced) return own;
  if (isProcessGone(own)) return forced.kind === 'timed-out' ? own : forced;
  if (forced.kind === 'timed-out') return forced;
  if (own.kind === 'returned') return own;
  const isFinal = own.kind === 'threw' && failureOf(own.error).isPermanent;
  return forced.kind === 'canceled' && isFinal ? own : forced;
}

/** Whether the isolated process ended without a reaction to the signal. */
function isProcessGone(own: HandlerResult): boolean {
  return own.kind === 'threw' && failureOf(own.error).code === 'worker_lost';
}

/** Returns the result that the stop causes, or null if it has not fired. */
function forcedResult(stop: Stop, limitMs: number): HandlerResult | null {
  const reason = stop.reason();
  if (reason instanceof TimeLimit) return { kind: 'timed-out', limitMs };
  if (reason instanceof Cancellation) return { kind: 'canceled' };
  if (reason instanceof Interruption) return { kind: 'interrupted', reason: reason.message };
  return null;
}

/** Resolves when the handler has returned, or `graceMs` after the run was stopped. */
function untilReturned(running: Promise<void>, stop: Stop, graceMs: number): Promise<void> {
  return new Promise((resolve, reject) => {
    running.then(resolve, reject);
    stop.onFire(() => setTimeout(resolve, graceMs).unref());
  });
}

/**
 * Reads the large payload of a claim: resolves with it when there is memory for it. `release` must be called when the handler has
 * returned. Resolves with null if the claim is no longer valid. Rejects with the reason of `stop` if it fires first, and
 * if Postgres fails.
 */
type HoldPayload = (claim: Claim, stop: Stop) => Promise<HeldPayload | null>;

interface HeldPayload {
  /** The payload as JSON text. */
  text: string;
  release(): void;
}

/**
 * A parsed payload takes up to 22 times the memory of its text. With this share, all of them take less than three
 * quarters of the heap.
 */
const HEAP_SHARE = 1 / 32;
const LARGEST_CAPACITY_BYTES = 64 * 1024 * 1024;
/** Limit per organization, so that the processing of its large payloads does not delay others for long. */
const BYTES_PER_ORGANIZATION = 2 * 1024 * 1024;

/** Limits the memory for large payloads of running attempts in this process. Organizations get it in turns. */
export function createHoldPayload(
  db: Db,
  capacityBytes = Math.min(getHeapStatistics().heap_size_limit * HEAP_SHARE, LARGEST_CAPACITY_BYTES),
): HoldPayload {
  const limiter = createFairLimiter({
    capacity: capacityBytes,
    weightPerOwner: BYTES_PER_ORGANIZATION,
    isPaced: true,
  });
  return async (claim, stop) => {
    const release = await limiter.take({ owner: claim.orgId, weight: claim.payloadBytes, signal: stop.signal() });
    try {
      const text = await readPayload(db, claim);
      if (text !== null) return { text, release };
    } catch (error) {
      release();
      throw error;
    }
    release();
    return null;
  };
}
