import type { OrgId, WaitingFor } from '@jobline/contracts';
import { type Db, findPending } from '@jobline/db';
import { ORG_LIMIT } from './limits.js';
import { readHeads, readLimits, readRules } from './read-limits.js';

/** What an organization's pending job waits for. Null: it is about to start. Undefined: it is not pending. */
export type FindWaitingFor = (orgId: OrgId, id: string) => Promise<WaitingFor | null | undefined>;

export function createFindWaitingFor({ db, leaseMs }: { db: Db; leaseMs: number }): FindWaitingFor {
  return async (orgId, id) => {
    const job = await findPending(db, orgId, id, leaseMs);
    if (!job) return undefined;
    if (job.isEarly) return job.isRetry ? 'retry' : 'run_at';
    const rules = await readRules(db, [orgId]);
    const blocked = (await readLimits(db, rules, [job], job.nowMs))().allBlockedBy(job);
    const behind = (await readHeads(db, rules, [job])).of(job).filter(({ key }) => key !== job.key);
    const names = [...blocked.map(({ limit }) => limit), ...behind.map(({ name }) => name)];
    const [first] = names.filter((name) => name !== ORG_LIMIT).sort();
    if (first !== undefined) return `limit:${first}`;
    if (names.includes(ORG_LIMIT)) return 'org_limit';
    if (job.slots === 0) return 'worker';
    return job.stage === 'waiting' || job.running >= job.slots ? 'queue' : null;
  };
}
