import { flood, loop, patch, post, submit, until } from './client.mjs';

/** Attacks by the receivers of events. */
export const EVENTS = [
  {
    name: 'twenty receivers of two organizations that answer a byte a second',
    orgs: 2,
    seeds: ['drippingWebhooks'],
    run: (attack) => runJobs(attack, 8),
  },
  {
    name: 'nineteen dead receivers in the organization of the victim',
    ofVictim: 'nineteenHungWebhooks',
    maxEventFactor: 3,
    run: ({ endsAt }) => until(endsAt),
  },
  {
    name: 'two hundred dead receivers of ten organizations',
    maxEventFactor: 3,
    orgs: 10,
    seeds: ['hungWebhooks'],
    run: (attack) => runJobs(attack, 20),
  },
  {
    name: 'webhooks that answer 410 and are enabled again',
    seeds: ['goneWebhooks'],
    run(attack) {
      const [{ session, webhooks }] = attack.orgs;
      let n = 0;
      return loop(attack, 20, async (call) => {
        const path = `/org/webhooks/${webhooks[n++ % webhooks.length]}`;
        await call(...post(`${path}/test`, session));
        await call(...patch(path, session, { enabled: true }));
      });
    },
  },
  {
    name: 'failed jobs that are retried in bulk, with twenty webhooks',
    seeds: ['failedWithWebhooks'],
    run(attack) {
      const retry = { action: 'retry', filter: { status: 'failed' }, per_second: 10_000 };
      return flood(attack, 4, () => post('/jobs/bulk', attack.orgs[0].credentials, retry));
    },
  },
  {
    name: 'callbacks to ten hosts that never answer',
    run(attack) {
      const { port } = new URL(attack.receiver);
      return flood(attack, 8, (n) =>
        submit(attack.orgs[0], 'noisy.noop', {}, { callback_url: `http://127.0.0.${10 + (n % 10)}:${port}/hang` }),
      );
    },
  },
];

/** Runs jobs of all organizations, each of which is an event. */
export function runJobs(attack, connections, orgs = attack.orgs) {
  return flood(attack, connections, (n) => submit(orgs[n % orgs.length], 'noisy.noop', {}));
}
