import { changeSchedules } from './changes.mjs';
import { flood, get, submit } from './client.mjs';
import { runJobs } from './events.mjs';
import { webhook } from './jobs.mjs';
import { NO_MATCH } from './reads.mjs';
import { loginFromMany } from './strangers.mjs';

/** Attacks by two callers at once. */
export const COMBINED = [
  {
    name: 'two organizations: every kind of expensive list',
    orgs: 2,
    seeds: ['manyLimits', 'redactedMessages', 'lanesOfAKey', 'labels'],
    run({ orgs, ...attack }) {
      const reads = orgs.flatMap(({ session, waitingId }) =>
        ['/org/limits', '/email/messages?limit=99', `/jobs/${waitingId}`, NO_MATCH].map((path) => get(path, session)),
      );
      return flood(attack, 64, (n) => reads[n % reads.length]);
    },
  },
  {
    name: 'two organizations: jobs that log 8 MB each, and lists by labels',
    orgs: 2,
    seeds: ['labels'],
    run({ orgs: [one, other], ...attack }) {
      const [logs, list] = [submit(one, 'noisy.logs', {}), get(NO_MATCH, other.credentials)];
      return Promise.all([flood(attack, 16, () => logs), flood(attack, 32, () => list)]);
    },
  },
  {
    name: 'two organizations: dead receivers, and a burst of jobs',
    orgs: 2,
    seeds: ['hungWebhooks'],
    run(attack) {
      const [one, other] = attack.orgs;
      const burst = flood(attack, 200, () => webhook(attack, 'fast', {}, other));
      return Promise.all([runJobs(attack, 8, [one]), burst]);
    },
  },
  {
    name: 'strangers and an organization: logins, and changes of schedules',
    seeds: ['schedules'],
    run: (attack) => Promise.all([loginFromMany(attack), changeSchedules(attack, 100)]),
  },
  {
    name: 'two organizations: results of 1 MB, and receivers that answer without end',
    orgs: 2,
    run(attack) {
      const [one, other] = attack.orgs;
      const results = flood(attack, 16, () => submit(one, 'noisy.result', {}));
      return Promise.all([results, flood(attack, 16, () => webhook(attack, 'pour', {}, other))]);
    },
  },
];
