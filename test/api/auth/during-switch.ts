import type { OrgId, UserId } from '@jobline/contracts';
import { openSessionFrom } from '@jobline/db';
import { newId } from '@jobline/runtime';
import { type Answered, HANG_MS, until, type World } from '../../harness/index.js';

/** Runs a request that must wait for a running switch of this session; the switch then succeeds. */
export async function duringSwitch(world: World, token: string, ask: () => Promise<Answered>): Promise<Answered> {
  const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
  const { sub: userId, org: orgId, sid: fromSessionId }: { sub: UserId; org: OrgId; sid: string } = claims;
  const opened = { id: newId(), expiresAt: new Date(Date.now() + 60_000), userId, fromSessionId };
  const { answer } = await world.db.$transaction(
    async (tx) => {
      if (!(await openSessionFrom(tx, orgId, opened))) throw new Error('nothing was switched');
      const answer = ask();
      await until('the request to wait for the switch', async () => {
        const waiting = await world.db.$queryRaw<unknown[]>`
          SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
        return waiting.length > 0;
      });
      return { answer };
    },
    { timeout: HANG_MS },
  );
  return answer;
}
