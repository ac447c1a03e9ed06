import { type DbSession, saveRates } from '@jobline/db';
import type { Decision, HeldJob } from '@jobline/db/job-transitions';
import { readHeads, readLimits, readRules } from './read-limits.js';

/**
 * Decides which of these held jobs may start now, in their order. Call it while no other start of their organizations can
 * be decided.
 */
export async function startHeld(tx: DbSession, held: readonly HeldJob[], nowMs: number): Promise<Decision> {
  if (held.length === 0) return { keys: [], saveRates: async () => undefined };
  const rules = await readRules(tx, [...new Set(held.map(({ orgId }) => orgId))]);
  const createLimits = await readLimits(tx, rules, held, nowMs);
  const heads = await readHeads(tx, rules, held);
  const limits = createLimits();
  const allowed: HeldJob[] = [];
  for (const job of held) {
    if (!heads.isFirst(job) || limits.blockedBy(job)) continue;
    limits.start(job);
    allowed.push(job);
  }
  return {
    keys: allowed.map(({ key }) => key),
    async saveRates(started) {
      const used = createLimits();
      for (const job of allowed) if (started.has(job.key)) used.start(job);
      await saveRates(tx, used.changedRates());
    },
  };
}
