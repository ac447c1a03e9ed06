import { flood, get, patch, post, put, until } from './client.mjs';

/** Attacks by changes: of schedules, limits and settings, and bulk actions. */
export const CHANGES = [
  {
    name: 'changes of forty schedules in four hundred connections',
    seeds: ['schedules'],
    run: (attack) => changeSchedules(attack, 400),
  },
  {
    name: 'a limit that is changed while forty thousand keys wait for it',
    seeds: ['waitingKeys'],
    run(attack) {
      const { session } = attack.orgs[0];
      return flood(attack, 64, (n) =>
        n % 2 === 0
          ? patch('/org/limits/p', session, { concurrency: 1 + (n % 5) })
          : get('/org/limits/p/keys', session),
      );
    },
  },
  {
    name: 'an ordered limit that is set while two hundred thousand jobs are pending',
    seeds: ['backlog'],
    run(attack) {
      const limit = { per: 'key', concurrency: 1, ordered: true };
      return flood(attack, 4, (n) =>
        put(`/org/limits/${n % 2}`, attack.orgs[0].session, { ...limit, types: [`noisy.${n % 3}`, 'noisy.noop'] }),
      );
    },
  },
  {
    name: 'bulk actions of two hundred thousand jobs',
    seeds: ['backlog'],
    run: (attack) =>
      flood(attack, 4, (n) => {
        const filter = { type: 'noisy.noop', created_after: new Date(n).toISOString() };
        return post('/jobs/bulk', attack.orgs[0].credentials, { action: 'retry', filter });
      }),
  },
  {
    name: 'names to redact that change again and again',
    seeds: ['redactedMessages'],
    run: (attack) =>
      flood(attack, 32, (n) => {
        const redact = { payload_keys: attack.orgs[0].redactedNames[n % 2], after_days: 0 };
        return patch('/org/settings', attack.orgs[0].session, { redact });
      }),
  },
  {
    name: 'previews of schedules that never run',
    run: (attack) => flood(attack, 64, () => post('/schedules/preview', attack.orgs[0].credentials, NEVER)),
  },
  {
    name: 'three thousand schedules that are due at the same moment',
    orgs: 3,
    seeds: ['schedulesAtOnce'],
    run: ({ endsAt }) => until(endsAt),
  },
];

const NEVER = { cron: '59 59 23 30 2 *', timezone: 'America/New_York' };

/** Changes schedules with as many keys, each of which has a budget of its own. */
export function changeSchedules(attack, connections, org = attack.orgs[0]) {
  const { schedules, keys } = org;
  return flood(attack, connections, (n) =>
    patch(`/schedules/${schedules[n % schedules.length]}`, keys[n % keys.length], { every_seconds: 3_600 + (n % 100) }),
  );
}
