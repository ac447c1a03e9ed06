import type { JobKey, OrgId } from '@jobline/contracts';
import type { Lane, LimitRule, ListedHeld } from '@jobline/db';
import { describe, expect, test } from 'vitest';
import { behindState, blockedState, planStarts } from './held-plan.js';
import { createLimits } from './limits.js';

// The casts: the organizations and jobs need no rows.
const orgId = 'acme' as OrgId;
const NOW = 1_000_000;

const rule = (more: Partial<LimitRule>): LimitRule => ({
  orgId,
  name: 'limit',
  types: ['mail'],
  concurrency: null,
  perSecond: null,
  burst: null,
  per: 'organization',
  ordered: false,
  paused: false,
  hold: null,
  version: '',
  ...more,
});
const lane = (id: string, more: Partial<Lane> = {}): Lane => ({
  id,
  orgId,
  queue: 'io',
  type: 'mail',
  limitName: '',
  limitKey: '',
  headPriority: 0,
  headAt: new Date(NOW),
  idleSince: null,
  ...more,
});
const jobs = (of: Lane, count: number): ListedHeld[] =>
  Array.from({ length: count }, (_, n) => ({ ...of, key: `${of.id}${n}` as JobKey, lane: of.id }) as never);

interface Case {
  rules?: LimitRule[];
  capacity?: number;
  hasEntries?: boolean;
}

function plan(
  lanes: { lane: Lane; jobs: number; limit: number }[],
  { rules = [], capacity = 9, hasEntries }: Case = {},
) {
  const taken = new Map<OrgId, number>();
  const { starts, states } = planStarts(
    lanes,
    new Map(lanes.map((one) => [one.lane.id, jobs(one.lane, one.jobs)])),
    {
      limits: createLimits({ rules, running: [], rates: [], isCareful: () => false, nowMs: NOW }),
      capacity: {
        of: ({ orgId }) => capacity - (taken.get(orgId) ?? 0),
        take: ({ orgId }) => void taken.set(orgId, (taken.get(orgId) ?? 0) + 1),
      },
      nowMs: NOW,
    },
    () => hasEntries ?? false,
  );
  return { starts: starts.map(({ key }) => String(key)), states };
}

describe('planStarts', () => {
  test('lanes share a concurrency in their order, and the rest waits for the limit', () => {
    const { starts, states } = plan(
      [
        { lane: lane('a'), jobs: 2, limit: 5 },
        { lane: lane('b'), jobs: 2, limit: 5 },
      ],
      { rules: [rule({ concurrency: 3 })] },
    );

    expect(starts).toEqual(['a0', 'a1', 'b0']);
    expect(states[0]).toMatchObject({ id: 'a', isIdle: true });
    expect(states[1]).toEqual({ id: 'b', wakeInMs: 0, parkedOn: 'limit', waitsFor: null, isIdle: false });
  });

  test('a key that its limit blocks delays only itself', () => {
    const { starts, states } = plan(
      [
        { lane: lane('a', { limitKey: 'one' }), jobs: 2, limit: 5 },
        { lane: lane('b', { limitKey: 'two' }), jobs: 1, limit: 5 },
      ],
      { rules: [rule({ concurrency: 1, per: 'key' })] },
    );

    expect(starts).toEqual(['a0', 'b0']);
    expect(states[0]).toMatchObject({ id: 'a', parkedOn: null, isIdle: false });
  });

  test('a rate wakes its lane when it allows the next start', () => {
    const { starts, states } = plan([{ lane: lane('a', { limitKey: 'one' }), jobs: 2, limit: 5 }], {
      rules: [rule({ perSecond: 4, burst: 1, per: 'key' })],
    });

    expect(starts).toEqual(['a0']);
    expect(states[0]).toEqual({ id: 'a', wakeInMs: 250, parkedOn: null, waitsFor: 'limit', isIdle: false });
  });

  test('a queue without capacity stops the lane for a moment', () => {
    const { starts, states } = plan([{ lane: lane('a'), jobs: 3, limit: 5 }], { capacity: 2 });

    expect(starts).toEqual(['a0', 'a1']);
    expect(states[0]).toEqual({ id: 'a', wakeInMs: 50, parkedOn: null, waitsFor: null, isIdle: false });
  });

  test('a lane with more jobs than were listed is looked at again at once', () => {
    expect(plan([{ lane: lane('a'), jobs: 2, limit: 2 }]).states[0]).toMatchObject({ wakeInMs: 0, isIdle: false });
  });

  test('a lane without further jobs is looked at less often, and rarely when its jobs have left Redis, too', () => {
    const idleFor = (ms: number) => lane('a', { idleSince: new Date(NOW - ms) });
    const wakeOf = (of: Lane, hasEntries: boolean) => plan([{ lane: of, jobs: 0, limit: 5 }], { hasEntries }).states[0];

    expect(wakeOf(lane('a'), false)).toMatchObject({ wakeInMs: 50, isIdle: true });
    expect(wakeOf(idleFor(500), false)).toMatchObject({ wakeInMs: 1_000 });
    expect(wakeOf(idleFor(5_000), true)).toMatchObject({ wakeInMs: 1_000 });
    expect(wakeOf(idleFor(5_000), false)).toMatchObject({ wakeInMs: 15_000 });
  });
});

test('a limit of the whole organization parks the lane, and one of its key wakes it', () => {
  const at = { limit: 'limit', untilMs: null };

  expect(blockedState(lane('a'), { ...at, scope: 'organization' }, NOW)).toMatchObject({ parkedOn: 'limit' });
  expect(blockedState(lane('a'), { ...at, scope: 'key' }, NOW)).toMatchObject({ parkedOn: null, wakeInMs: 1_000 });
  expect(blockedState(lane('a'), { ...at, scope: 'key', untilMs: NOW + 0.4 }, NOW)).toMatchObject({ wakeInMs: 1 });
});

test('a lane of an ordered limit waits for the first job of its key', () => {
  const state = (dueInMs: number, isOwn: boolean) =>
    behindState(
      lane('a'),
      { of: () => [{ key: 'first', dueInMs, isSure: true }], isFirst: () => false } as never,
      () => isOwn,
    );

  expect(state(0, true)).toBeNull();
  expect(state(0, false)).toMatchObject({ wakeInMs: 1_000 });
  expect(state(300.2, true)).toMatchObject({ wakeInMs: 301 });
  expect(state(60_000, false)).toMatchObject({ wakeInMs: 1_000 });
});
