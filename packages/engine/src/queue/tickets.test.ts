import type { OrgId } from '@jobline/contracts';
import { expect, test } from 'vitest';
import type { TicketData } from './entry.js';
import { createSlots } from './slots.js';
import { createTickets } from './tickets.js';

// The casts: only their identity counts.
const [a, b] = ['a', 'b'] as OrgId[] as [OrgId, OrgId];
const HOUR_MS = 3_600_000;

/** Tickets for a number of slots. `waiting`: how many jobs of each organization wait. */
function create(slots: number, waiting: Map<OrgId, number>, hasSingles = () => false) {
  /** The claims so far, such as "a 3, b 2". */
  const claims: string[] = [];
  /** Functions that end the jobs that run. */
  const running: (() => void)[] = [];

  function startNext({ orgId, count }: TicketData): Promise<void>[] {
    const found = Math.min(count, waiting.get(orgId) ?? 0);
    waiting.set(orgId, (waiting.get(orgId) ?? 0) - found);
    return Array.from({ length: found }, () => new Promise<void>((resolve) => running.push(resolve)));
  }

  const tickets = createTickets({
    slots: createSlots(slots),
    isLowPriority: false,
    hasSingles,
    async start(some) {
      claims.push(some.map(({ orgId, count }) => `${orgId} ${count}`).join(', '));
      return some.map(startNext);
    },
  });
  const use = (ticket: TicketData, forMs = HOUR_MS) => tickets.use(ticket, performance.now() + forMs);
  return { ...tickets, use, claims, running };
}

test('a ticket claims as many jobs as there are free slots, and ends when no more wait', async () => {
  const waiting = new Map([[a, 12]]);
  const { use, claims, running } = create(10, waiting);
  const used = use({ orgId: a, count: 1_000 });
  await expect.poll(() => claims).toEqual(['a 10']);

  for (const end of running.splice(0)) end();
  await used;

  expect(claims).toEqual(['a 10', 'a 10']);
  expect(waiting.get(a)).toBe(0);
});

test('tickets of two organizations divide the free slots', async () => {
  const waiting = new Map([
    [a, 100],
    [b, 3],
  ]);
  const { use, claims } = create(10, waiting);
  void use({ orgId: a, count: 1_000 });
  await use({ orgId: b, count: 1_000 });

  expect(claims[0]).toBe('a 5, b 5');
});

test('no more jobs of a ticket run at the same time than its share', async () => {
  const { use, wanted, claims, running } = create(10, new Map([[a, 100]]));
  void use({ orgId: a, count: 1_000, share: 4 });
  await expect.poll(() => claims).toEqual(['a 4']);
  expect(wanted()).toBe(0);

  running[0]?.();
  await expect.poll(() => claims).toEqual(['a 4', 'a 1']);
});

test('while entries of single jobs come, a claim is small', async () => {
  let hasSingles = true;
  const { use, claims, running } = create(200, new Map([[a, 1_000]]), () => hasSingles);
  void use({ orgId: a, count: 1_000 });
  await expect.poll(() => claims.length).toBeGreaterThan(3);
  expect(claims.slice(0, 3)).toEqual(['a 30', 'a 30', 'a 30']);
  await expect.poll(() => running.length).toBe(200);

  hasSingles = false;
  for (const end of running.splice(0)) end();
  await expect.poll(() => claims.at(-1)).toBe('a 200');
});

test('a ticket ends at its time', async () => {
  const { use, claims } = create(10, new Map([[a, 100]]));

  await use({ orgId: a, count: 1_000, share: 4 }, 50);

  expect(claims).toEqual(['a 4']);
});

test('a ticket ends if no slot becomes free soon', async () => {
  const waiting = new Map([
    [a, 1],
    [b, 1],
  ]);
  const { use, claims } = create(1, waiting);
  await use({ orgId: a, count: 1 });

  await use({ orgId: b, count: 1 });

  expect(claims).toEqual(['a 1']);
});
