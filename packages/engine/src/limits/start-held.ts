import type { JobKey } from '@jobline/contracts';
import { type DbSession, saveRates } from '@jobline/db';
import type { HeldJob } from '@jobline/db/job-transitions';
import { readGates, readHeads, readRules } from './read-gates.js';

/**
 * Decides which of these held jobs may start now, in their order, and stores the rates that these starts use. Call it while
 * no other start of their organizations can be decided.
 */
export async function startHeld(tx: DbSession, held: readonly HeldJob[], nowMs: number): Promise<JobKey[]> {
  if (held.length === 0) return [];
  const rules = await readRules(tx, [...new Set(held.map(({ orgId }) => orgId))]);
  const gates = await readGates(tx, rules, held, nowMs);
  const heads = await readHeads(tx, rules, held);
  const allowed: JobKey[] = [];
  for (const job of held) {
    if (!heads.isFirst(job) || gates.blockedBy(job)) continue;
    gates.start(job);
    allowed.push(job.key);
  }
  await saveRates(tx, gates.changedRates());
  return allowed;
}
