import { encode, flood, idIn, loop, MIB, post, submit, tomorrow, until } from './client.mjs';

/** Attacks by submissions and by what their jobs do. */
export const JOBS = [
  {
    name: 'hosts whose name servers are silent',
    run: (attack) =>
      flood(attack, 8, (n) => submit(attack.orgs[0], 'webhook', { url: `http://h${n}.silent.test/`, payload: {} })),
  },
  {
    name: 'wide payloads to a slow receiver',
    run(attack) {
      const request = webhook(attack, 'slow', { wide: Array(340_000).fill({}) });
      return flood(attack, 8, () => request);
    },
  },
  {
    name: 'payloads of quotes',
    run(attack) {
      const request = submit(attack.orgs[0], 'a', { text: '"'.repeat(MIB / 2 - 1_000) });
      return flood(attack, 8, () => request);
    },
  },
  {
    name: 'bodies of empty objects',
    run(attack) {
      const request = submit(attack.orgs[0], 'a', { wide: Array(340_000).fill({}) });
      return flood(attack, 32, () => request);
    },
  },
  {
    name: 'jobs that are retried and canceled in a loop',
    run: (attack) =>
      loop(attack, 16, async (call) => {
        const id = idIn(await call(...webhook(attack, 'slow')));
        if (!id) return;
        for (const step of ['cancel', 'retry', 'cancel'])
          await call(...post(`/jobs/${id}/${step}`, attack.orgs[0].credentials));
      }),
  },
  {
    name: 'a burst of jobs',
    run: (attack) => flood(attack, 500, () => webhook(attack, 'fast')),
  },
  {
    name: 'jobs that log 8 MB each',
    run: (attack) => flood(attack, 16, () => submit(attack.orgs[0], 'noisy.logs', {})),
  },
  {
    name: 'jobs that return 1 MB each',
    run: (attack) => flood(attack, 16, () => submit(attack.orgs[0], 'noisy.result', {})),
  },
  {
    name: 'jobs that store a file of 1 MB each',
    run: (attack) => flood(attack, 16, () => submit(attack.orgs[0], 'noisy.file', {})),
  },
  {
    name: 'twenty thousand messages above the rate of sends',
    seeds: ['textMessages'],
    run: ({ endsAt }) => until(endsAt),
  },
  {
    name: 'one id in two hundred connections',
    run(attack) {
      const request = submit(attack.orgs[0], 'noisy.noop', {}, { id: 'one' });
      return flood(attack, 200, () => request);
    },
  },
  {
    name: 'one Idempotency-Key for two hundred batches',
    run(attack) {
      const [{ credentials }] = attack.orgs;
      const body = batch(100, () => ({ type: 'noisy.noop', payload: {}, run_at: tomorrow() }));
      return flood(attack, 200, (n) =>
        post('/jobs/batch', { ...credentials, 'idempotency-key': `${Math.floor(n / 200)}` }, body),
      );
    },
  },
  {
    name: 'receivers that answer a byte a second',
    run: (attack) => flood(attack, 8, () => webhook(attack, 'drip')),
  },
  {
    name: 'receivers that answer without end',
    run: (attack) =>
      flood(attack, 8, (n) =>
        n % 2 === 0
          ? webhook(attack, 'pour')
          : submit(attack.orgs[0], 'compress_image', { url: `${attack.receiver}/pour` }),
      ),
  },
  {
    name: 'two hundred webhooks of 1 MiB of objects to a slow receiver',
    async run(attack) {
      const request = webhook(attack, 'slow', { wide: Array(340_000).fill({}) });
      let left = 200;
      await loop({ ...attack, endsAt: 0 }, 40, async (call) => {
        while (left-- > 0 && Date.now() < attack.endsAt) await call(...request);
      });
      await until(attack.endsAt);
    },
  },
  {
    name: 'a hundred thousand jobs that expire',
    seeds: ['expiring'],
    run: ({ endsAt }) => until(endsAt),
  },
  {
    name: 'sixty thousand jobs that are due at the same moment',
    seeds: ['dueAtOnce'],
    run: ({ endsAt }) => until(endsAt),
  },
  {
    name: 'twenty thousand jobs that fail a hundred times',
    seeds: ['failing'],
    run: ({ endsAt }) => until(endsAt),
  },
  {
    name: 'batches of a thousand jobs with ten tags each',
    run(attack) {
      const tags = (n) => Array.from({ length: 10 }, (_, k) => `${n}-${k}`);
      const body = batch(1_000, (n) => ({ type: 'noisy.noop', payload: {}, run_at: tomorrow(), tags: tags(n) }));
      return flood(attack, 8, () => post('/jobs/batch', attack.orgs[0].credentials, body));
    },
  },
  {
    name: 'batches of a thousand invalid jobs',
    run(attack) {
      const invalid = { type: 'send_email', payload: { to: 'a', more: [] }, priority: 99, tags: ['', ''], key: '' };
      const body = batch(1_000, () => invalid);
      return flood(attack, 8, () => post('/jobs/batch?mode=each', attack.orgs[0].credentials, body));
    },
  },
];

function batch(count, job) {
  return encode({ jobs: Array.from({ length: count }, (_, n) => job(n)) });
}

export function webhook(attack, receiver, payload = {}, org = attack.orgs[0]) {
  return submit(org, 'webhook', { url: `${attack.receiver}/${receiver}`, payload });
}
