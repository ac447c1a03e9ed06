import { AsyncLocalStorage } from 'node:async_hooks';
import type { OrgId } from '@jobline/contracts';
import { createFairLimiter, type FairLimiter } from '@jobline/runtime';
import pg, { type ClientBase, type PoolClient, type PoolConfig } from 'pg';
import { SHARE_USED_UP } from './errors.js';

/** For whom the current asynchronous context runs its statements. */
interface Owner {
  /** Null: for the service, or for many organizations together. */
  readonly orgId: OrgId | null;
  /** The context holds a connection until its transaction ends. */
  readonly isInTransaction: boolean;
}

const NO_OWNER: Owner = { orgId: null, isInTransaction: false };
const owners = new AsyncLocalStorage<Owner>();

/**
 * Runs work whose statements are for one organization: they use its share of the connections. Null: work that others share and
 * must not wait for the share of the organization that happened to start it.
 */
export function runAs<T>(orgId: OrgId | null, work: () => Promise<T>): Promise<T> {
  // Async: a statement of Prisma does not begin before something waits for it.
  return owners.run({ orgId, isInTransaction: false }, async () => work());
}

/** Runs the work of a transaction, which has its own connection. */
export function runInTransaction<T>(work: () => T): T {
  return owners.run({ ...(owners.getStore() ?? NO_OWNER), isInTransaction: true }, work);
}

/**
 * An organization uses at most this part of the connections, alone or while others use some too. All organizations together leave
 * the last part to the service.
 */
const SHARE = { alone: 1 / 3, shared: 1 / 4, service: 1 / 4 };
/** But so many organizations use a small pool at the same time: with a single turn, the longest statement would stop all others. */
const MIN_TURNS = 2;
/** The wait for a turn ends before a caller of the pool gives up, so that the error says why. */
const WAIT_PART = 0.9;

/** The pool waits for `onConnect`, although its types do not say so. */
export interface PoolSettings extends Omit<PoolConfig, 'onConnect'> {
  onConnect(client: ClientBase): Promise<void>;
  max: number;
  connectionTimeoutMillis: number;
}

/**
 * A pool whose connections organizations share: statements of one organization wait for their turn before they take a
 * connection. Statements without an owner (the work of the service itself, and logins) take any that is free.
 */
export class SharedPool extends pg.Pool {
  readonly #turns: FairLimiter;

  constructor(config: PoolSettings) {
    super(config);
    const { max, connectionTimeoutMillis } = config;
    this.#turns = createFairLimiter({
      capacity: Math.max(Math.min(max, MIN_TURNS), max - Math.ceil(max * SHARE.service)),
      perOwner: { alone: Math.ceil(max * SHARE.alone), shared: Math.ceil(max * SHARE.shared) },
      waitMs: WAIT_PART * connectionTimeoutMillis,
      tooMany: () => new Error(SHARE_USED_UP),
    });
  }

  /** How many statements wait for their turn. `waitingCount` does not count them. */
  waitingForTurn(): number {
    return this.#turns.waiting();
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<PoolClient> | undefined {
    const connecting = this.#connect();
    if (!callback) return connecting;
    void connecting.then(
      (client) => callback(undefined, client, client.release),
      (error) => callback(error, undefined, () => undefined),
    );
    return undefined;
  }

  async #connect(): Promise<PoolClient> {
    const { orgId, isInTransaction } = owners.getStore() ?? NO_OWNER;
    if (orgId === null) return super.connect();
    if (isInTransaction) {
      warnOnce();
      return super.connect();
    }
    const endTurn = await this.#turns.take({ owner: orgId });
    try {
      return endAtRelease(await super.connect(), endTurn);
    } catch (error) {
      endTurn();
      throw error;
    }
  }
}

type Connected = Parameters<pg.Pool['connect']>[0];

/** The pool gives a client another `release` at each checkout. */
function endAtRelease(client: PoolClient, endTurn: () => void): PoolClient {
  const { release } = client;
  client.release = (destroy) => {
    release(destroy);
    endTurn();
  };
  return client;
}

/** The name of the warning for such a statement. Tests fail because of it. */
export const OUTSIDE_TRANSACTION = 'OutsideTransaction';
let hasWarned = false;

/** It waits for no turn, because its transaction has one. But many of them could wait for each other's connections. */
function warnOnce(): void {
  if (hasWarned) return;
  hasWarned = true;
  process.emitWarning('a statement used another connection than the transaction that waits for it', {
    type: OUTSIDE_TRANSACTION,
    detail: new Error('it was run here').stack,
  });
}
