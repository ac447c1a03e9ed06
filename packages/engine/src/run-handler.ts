import type { JsonObject, OrgId } from '@jobline/contracts';
import type { Db } from '@jobline/db';
import {
  type ArtifactStore,
  type Catalogue,
  checkPayload,
  failureOf,
  type Handler,
  PermanentError,
  type Ports,
  type RunContext,
} from '@jobline/handlers';
import type { EngineEvents } from './events.js';
import { NOTES, REASONS } from './job-log.js';
import type { RunEnd } from './outcome.js';
import { isQuarantined, type RunAlone } from './worker/crash-isolation.js';
import type { HeldPayload, PayloadMemory } from './worker/payload-memory.js';
import { type Attempt, Cancellation, Interruption } from './worker/runs.js';
import { saveArtifact } from './worker/save-artifact.js';

/** How a run ended, and whether its handler still runs although it was told to stop. */
export interface Performance {
  end: RunEnd;
  /** Resolves when the handler has returned; null if it has. */
  overstay: Promise<void> | null;
}

interface PerformDeps {
  db: Db;
  events: EngineEvents;
  /** Null: artifacts are kept in Postgres. */
  artifacts: ArtifactStore | null;
  catalogue: Catalogue;
  portsFor(orgId: OrgId): Ports;
  runAlone: RunAlone;
  payloads: PayloadMemory;
  graceMs: number;
}

/** A process of its own takes time to begin; that is not its handler's. */
const BEGIN_LIMIT_MS = 30_000;

/**
 * Runs the handler of a claimed job under its time limit. Never rejects. Past the limit, or when the run is interrupted
 * or canceled, the handler's signal fires; a handler that ignores it is left behind after `graceMs`.
 */
export async function perform(deps: PerformDeps, attempt: Attempt): Promise<Performance> {
  const { claim, controller } = attempt;
  const handler = deps.catalogue.get(claim.type);
  if (!handler) return { end: { kind: 'threw', error: new Error(`no handler for "${claim.type}"`) }, overstay: null };

  const limitMs = handler.timeoutMs;
  const payload = await holdPayload(deps, attempt);
  const before = forcedEnd(controller.signal, limitMs);
  if (payload === null || before) {
    payload?.release();
    return { end: before ?? { kind: 'interrupted', reason: REASONS.payloadUnread }, overstay: null };
  }
  const fire = () => controller.abort(new TimeLimit());
  let limit = setTimeout(fire, isQuarantined(claim) ? BEGIN_LIMIT_MS + limitMs : limitMs);
  const begin = () => {
    clearTimeout(limit);
    if (!controller.signal.aborted) limit = setTimeout(fire, limitMs);
  };
  let end: RunEnd | null = null;
  const running = runHandler(deps, handler, attempt, payload.text, begin).then((own) => {
    payload.release();
    end = settleEnd(own, forcedEnd(controller.signal, limitMs));
  });
  await Promise.race([running, abortedFor(controller.signal, deps.graceMs)]);
  clearTimeout(limit);
  if (end) return { end, overstay: null };
  const forced = forcedEnd(controller.signal, limitMs);
  if (!forced) throw new Error('a run was left behind without having been told to stop');
  return { end: forced, overstay: running };
}

class TimeLimit extends Error {
  constructor() {
    super('the time limit is over');
    this.name = 'TimeoutError';
  }
}

/** Null: it could not be read, or the run was stopped before there was memory for it. */
async function holdPayload(deps: PerformDeps, { claim, controller }: Attempt): Promise<HeldPayload | null> {
  try {
    return await deps.payloads.hold(claim, controller.signal);
  } catch (error) {
    if (!controller.signal.aborted) deps.events.emit('step.failed', { step: 'read payload', error });
    return null;
  }
}

async function runHandler(
  deps: PerformDeps,
  handler: Handler,
  attempt: Attempt,
  text: string,
  begin: () => void,
): Promise<RunEnd> {
  const { claim, controller, log } = attempt;
  try {
    const ctx: RunContext = {
      idempotencyKey: claim.key,
      orgId: claim.orgId,
      attempt: claim.attempt,
      signal: controller.signal,
      log: (level, message) => log.write(level, message),
      saveArtifact: (artifact) => saveArtifact(deps, attempt, artifact),
      ports: deps.portsFor(claim.orgId),
    };
    // The cast: only objects are ever stored as payloads.
    const payload = JSON.parse(text) as JsonObject;
    const faults = await checkPayload(handler, payload);
    if (faults.length > 0) {
      const message = faults.map((fault) => `${fault.path}: ${fault.message}`).join('; ');
      throw new PermanentError(message, { code: 'invalid_payload' });
    }
    // What stopped it while its payload was checked would never be told to a handler that listens only from now on.
    controller.signal.throwIfAborted();
    if (!isQuarantined(claim)) return { kind: 'returned', value: await handler.run(payload, ctx) };
    log.write('warn', NOTES.isolated(claim.losses), 'note');
    return { kind: 'returned', value: await deps.runAlone(claim.type, payload, ctx, begin) };
  } catch (error) {
    return { kind: 'threw', error };
  }
}

/**
 * An attempt past its limit has failed, whatever its handler did in the end. One that finished its work although it was
 * interrupted or canceled has finished it; and a canceled one that says for itself why no attempt may follow knows better.
 */
function settleEnd(own: RunEnd, forced: RunEnd | null): RunEnd {
  if (!forced) return own;
  if (isLost(own)) return forced.kind === 'timed-out' ? own : forced;
  if (forced.kind === 'timed-out') return forced;
  if (own.kind === 'returned') return own;
  const isFinal = own.kind === 'threw' && failureOf(own.error).isPermanent;
  return forced.kind === 'canceled' && isFinal ? own : forced;
}

/** Its process did not even notice that its time was over. */
function isLost(own: RunEnd): boolean {
  return own.kind === 'threw' && failureOf(own.error).code === 'worker_lost';
}

/** What a fired signal makes of the run; null if none fired. */
function forcedEnd(signal: AbortSignal, limitMs: number): RunEnd | null {
  if (!signal.aborted) return null;
  if (signal.reason instanceof TimeLimit) return { kind: 'timed-out', limitMs };
  if (signal.reason instanceof Cancellation) return { kind: 'canceled' };
  if (signal.reason instanceof Interruption) return { kind: 'interrupted', reason: signal.reason.message };
  return null;
}

/** Resolves `ms` after the signal has fired; never, if it does not fire. */
function abortedFor(signal: AbortSignal, ms: number): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => setTimeout(resolve, ms).unref(), { once: true });
  });
}
