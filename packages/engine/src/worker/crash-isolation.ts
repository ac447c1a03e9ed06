import { type Claim, QUARANTINED_FROM, type Room } from '@jobline/db/job-transitions';
import type { RunContext } from '@jobline/handlers';

/**
 * What becomes of jobs whose worker died with them. One of them may have killed it; the others only ran beside it.
 *
 *   lost once    runs among the others, but few such jobs at a time: so the next death hits few of them
 *   lost twice   runs in a process of its own, one at a time; if that dies too, the job fails with `worker_lost`
 *   lost often   fails with `worker_lost`: even from a process of its own it has ended its worker
 *
 * An attempt that fails while its worker lives on, and is retried, takes one loss off: a job that met two crashes of its
 * host is not alone for as long as it is retried, and one that goes on killing ends at most one worker per retry more.
 *
 * So a job that kills its process ends two workers and nobody's job but its own, and those beside it need not all wait
 * their turn to run alone.
 */
export interface Quarantine {
  /** Takes all places that are free, for a statement that claims. */
  takeRoom(): Room;
  /** Gives back the places that the statement's claims do not use. */
  settle(room: Room, claims: readonly Claim[]): void;
  /** The claimed job runs no more. */
  leave(claim: Claim): void;
}

/**
 * Runs a type's handler in a process of its own, under the context given here. Calls `begin` when the handler begins.
 * Throws PermanentError `worker_lost` if the process ends before the handler does, and Postponed if it could not begin:
 * then nothing of the job has run, and the job is not to blame.
 */
export type RunAlone = (type: string, payload: object, ctx: RunContext, begin: () => void) => Promise<unknown>;

/** The more, the more of them end up alone, where each costs the start of a process; the fewer, the longer all take. */
const MAX_SUSPECTS = 10;

export function createQuarantine(): Quarantine {
  let free: Room = { suspects: MAX_SUSPECTS, quarantined: 1 };
  const add = ({ suspects, quarantined }: Room) => {
    free = { suspects: free.suspects + suspects, quarantined: free.quarantined + quarantined };
  };
  return {
    takeRoom() {
      const taken = free;
      free = { suspects: 0, quarantined: 0 };
      return taken;
    },
    settle(room, claims) {
      add(room);
      for (const claim of claims) add(placeOf(claim, -1));
    },
    leave: (claim) => add(placeOf(claim, 1)),
  };
}

export function isQuarantined({ losses }: Claim): boolean {
  return losses >= QUARANTINED_FROM;
}

function placeOf(claim: Claim, places: number): Room {
  const quarantined = isQuarantined(claim) ? places : 0;
  return { suspects: claim.losses > 0 ? places - quarantined : 0, quarantined };
}
