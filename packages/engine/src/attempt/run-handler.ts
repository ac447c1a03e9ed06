import { getHeapStatistics } from 'node:v8';
import type { JsonObject } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import { type Claim, readPayload } from '@jobline/db/job-transitions';
import { checkPayload, failureOf, type Handler, PermanentError, type RunContext } from '@jobline/handlers';
import { createFairLimiter } from '@jobline/runtime';
import type { WorkOptions } from '../options.js';
import { NOTES, REASONS } from '../reporting/job-log.js';
import { isIsolated } from './crash-isolation.js';
import type { HandlerResult } from './outcome.js';
import { type Attempt, Cancellation, Interruption, type Stop } from './runs.js';
import type { SaveArtifact } from './save-artifact.js';

/** The result of a handler, and whether the handler still runs although its signal has fired. */
interface Execution {
  result: HandlerResult;
  /** Resolves when the handler has returned. Null if it has returned already. */
  unresponsive: Promise<void> | null;
}

export type HandlerCalls = ReturnType<typeof createHandlerCalls>;

interface HandlerCallsDeps extends Pick<WorkOptions, 'catalogue' | 'portsFor' | 'runIsolated' | 'events' | 'graceMs'> {
  holdPayload: HoldPayload;
  saveArtifact: SaveArtifact;
}

/** Time limit for the start of an isolated process. It does not count against the time limit of the handler. */
const START_LIMIT_MS = 30_000;

export function createHandlerCalls(deps: HandlerCallsDeps) {
  const { catalogue, portsFor, runIsolated, saveArtifact, events, graceMs } = deps;

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
    const payload = await holdPayload(attempt);
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
    try {
      const ctx: RunContext = {
        idempotencyKey: claim.key,
        orgId: claim.orgId,
        attempt: claim.attempt,
        get signal() {
          return stop.signal();
        },
        log: (level, message) => log.write(level, message),
        saveArtifact: (artifact) => saveArtifact(attempt, artifact),
        ports: portsFor(claim.orgId),
      };
      // The cast: only objects are stored as payloads.
      const payload = JSON.parse(text) as JsonObject;
      const issues = await checkPayload(handler, payload);
      if (issues.length > 0) {
        const message = issues.map(({ path, message }) => `${path}: ${message}`).join('; ');
        throw new PermanentError(message, { code: 'invalid_payload' });
      }
      // A handler that subscribes only now would not be notified of a signal that fired during the validation.
      const reason = stop.reason();
      if (reason) throw reason;
      if (!isIsolated(claim)) return { kind: 'returned', value: await handler.run(payload, ctx) };
      log.write('warn', NOTES.isolated(claim.crashCount), 'note');
      return { kind: 'returned', value: await runIsolated(claim.type, payload, ctx, begin) };
    } catch (error) {
      return { kind: 'threw', error };
    }
  }

  return { call };
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
 * Resolves with the payload of the claim when there is memory for it. `release` must be called when the handler has
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
    if (claim.payload !== null) return { text: claim.payload, release: () => undefined };
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
