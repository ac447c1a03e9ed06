import { setImmediate } from 'node:timers/promises';
import type { TicketData } from './entry.js';
import type { Slots } from './slots.js';

/** Starts the next waiting jobs of organizations. Returns for each ticket the ends of the jobs that it has started. */
export type StartWaiting = (tickets: readonly TicketData[]) => Promise<readonly (readonly Promise<void>[])[]>;

interface Ticket {
  orgId: TicketData['orgId'];
  left: number;
  share: number;
  endMs: number;
  done(): void;
}

/** The highest number of jobs of one claim. */
const MAX_CLAIM = 500;
/** The same while entries of single jobs come: those must not wait until the process has started hundreds of other jobs. */
const MAX_CLAIM_WITH_SINGLES = 30;

/** The tickets of one priority that a consumer has taken and not used up. */
export type Tickets = ReturnType<typeof createTickets>;

/**
 * Uses tickets as slots become free, in turns over those that wait. One claim at a time: meanwhile further slots become free, and the next
 * claim is larger.
 */
export function createTickets({
  slots,
  isLowPriority,
  hasSingles,
  start,
}: {
  slots: Slots;
  isLowPriority: boolean;
  /** Whether entries of single jobs come at the moment. */
  hasSingles(): boolean;
  start: StartWaiting;
}) {
  let waiting: Ticket[] = [];
  let isBusy = false;
  /** How many jobs of each organization run that tickets have started. */
  const running = new Map<string, number>();
  let wake = (): void => undefined;

  function add(orgId: string, count: number): void {
    const sum = (running.get(orgId) ?? 0) + count;
    if (sum > 0) running.set(orgId, sum);
    else running.delete(orgId);
  }

  /** How many jobs a ticket may start now. */
  function wantedBy({ orgId, left, share }: Ticket): number {
    return Math.max(0, Math.min(left, share - (running.get(orgId) ?? 0)));
  }

  function wanted(): number {
    return waiting.reduce((sum, ticket) => sum + wantedBy(ticket), 0);
  }

  /** Never rejects. */
  async function useAll(): Promise<void> {
    isBusy = true;
    for (;;) {
      finish(waiting.filter(({ endMs }) => performance.now() >= endMs));
      if (waiting.length === 0) break;
      const open = waiting.filter((ticket) => wantedBy(ticket) > 0);
      const [first] = open;
      if (!first) await changed();
      else if (await slots.take(isLowPriority, first.endMs)) {
        // Jobs that end together free their slots one after the other.
        await setImmediate();
        const most = hasSingles() ? MAX_CLAIM_WITH_SINGLES : MAX_CLAIM;
        await startNext(1 + slots.takeFree(Math.min(most, wanted()) - 1, isLowPriority));
      } else {
        // Other workers may have free slots.
        finish(open);
        slots.left(isLowPriority);
      }
    }
    isBusy = false;
  }

  /** Resolves when a job of a ticket has ended, or when a ticket has come or ends. */
  async function changed(): Promise<void> {
    const untilMs = Math.min(...waiting.map(({ endMs }) => endMs));
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(0, untilMs - performance.now()));
      wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async function startNext(taken: number): Promise<void> {
    const asked = divide(taken, waiting, wantedBy);
    const ends = await start([...asked].map(([{ orgId }, count]) => ({ orgId, count })));
    let unused = taken;
    const used: Ticket[] = [];
    for (const [i, [ticket, count]] of [...asked].entries()) {
      const started = ends[i] ?? [];
      unused -= started.length;
      add(ticket.orgId, started.length);
      for (const end of started) void end.then(() => release(ticket.orgId));
      ticket.left -= count;
      if (ticket.left <= 0 || started.length < count) used.push(ticket);
    }
    if (unused > 0) slots.release(isLowPriority, unused);
    finish(used);
  }

  function release(orgId: string): void {
    add(orgId, -1);
    slots.release(isLowPriority);
    wake();
  }

  function finish(used: readonly Ticket[]): void {
    if (used.length === 0) return;
    waiting = waiting.filter((ticket) => !used.includes(ticket));
    for (const { done } of used) done();
  }

  return {
    /** Resolves when the ticket is used up, when no more jobs of its organization wait, when no slot is free, or at `endMs`. */
    use({ orgId, count, share = count }: TicketData, endMs: number): Promise<void> {
      return new Promise((done) => {
        waiting.push({ orgId, left: count, share, endMs, done });
        if (isBusy) wake();
        else void useAll();
      });
    },
    /** How many jobs these tickets may start now. */
    wanted,
  };
}

/** Divides slots equally among tickets that want as many. */
function divide(
  slots: number,
  tickets: readonly Ticket[],
  wantedBy: (ticket: Ticket) => number,
): ReadonlyMap<Ticket, number> {
  const shares = new Map<Ticket, number>();
  let left = slots;
  const sorted = tickets.map((ticket) => ({ ticket, wanted: wantedBy(ticket) })).sort((a, b) => a.wanted - b.wanted);
  for (const [i, { ticket, wanted }] of sorted.entries()) {
    const share = Math.min(wanted, Math.ceil(left / (sorted.length - i)));
    left -= share;
    if (share > 0) shares.set(ticket, share);
  }
  return shares;
}
