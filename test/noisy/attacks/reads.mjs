import { request } from 'node:http';
import { flood, get, idIn, once, openSockets, pipeline, post, put, rawGet, submit, until } from './client.mjs';

/** Attacks by reading. */
export const READS = [
  {
    name: 'pages of a thousand',
    run: (attack) => flood(attack, 100, () => get('/jobs?limit=1000', attack.orgs[0].credentials)),
  },
  {
    name: 'wide payloads that are read and run again',
    async run(attack) {
      const { credentials } = attack.orgs[0];
      const [later, finished] = await storeWide(attack, 2);
      await once(attack, post(`/jobs/${finished}/cancel`, credentials));
      await flood(attack, 24, (n) =>
        n % 2 === 0
          ? get(`/jobs/${later}`, credentials)
          : post(`/jobs/${finished}/rerun`, { ...credentials, 'idempotency-key': `${n}` }),
      );
    },
  },
  {
    name: 'responses that are never read',
    async run(attack) {
      const [id] = await storeWide(attack, 1);
      const text = rawGet(`/jobs/${id}`, attack.orgs[0].credentials);
      const sockets = openSockets(attack, 400, '127.0.0.3', text);
      for (const socket of sockets) socket.pause().on('close', () => attack.count('cut'));
      await until(attack.endsAt);
      attack.count(`${sockets.filter((socket) => !socket.destroyed).length} unread`);
      for (const socket of sockets) socket.removeAllListeners('close').destroy();
    },
  },
  {
    name: 'a thousand event streams',
    run: (attack) => openStreams(attack, 1_000),
  },
  {
    name: 'lists of a hundred limits of fifty types',
    seeds: ['manyLimits'],
    run: (attack) => flood(attack, 8, () => get('/org/limits', attack.orgs[0].session)),
  },
  {
    name: 'lists of messages that are redacted',
    seeds: ['redactedMessages'],
    run: (attack) => flood(attack, 64, () => get('/email/messages?limit=99', attack.orgs[0].credentials)),
  },
  {
    name: 'jobs of a key with twenty thousand lanes',
    seeds: ['lanesOfAKey'],
    run: (attack) => flood(attack, 64, () => get(`/jobs/${attack.orgs[0].waitingId}`, attack.orgs[0].credentials)),
  },
  {
    name: 'lists by labels that match nothing',
    seeds: ['labels'],
    run: (attack) => flood(attack, 64, () => get(NO_MATCH, attack.orgs[0].credentials)),
  },
  {
    name: 'limits whose types have two hundred thousand jobs',
    seeds: ['backlog'],
    async run(attack) {
      const { session } = attack.orgs[0];
      await once(attack, put('/org/limits/a', session, { types: ['noisy.noop'], concurrency: 5 }));
      await flood(attack, 32, () => get('/org/limits', session));
    },
  },
  {
    name: 'failures of sixty keys with different types',
    seeds: ['failures'],
    run: (attack) =>
      flood(attack, 64, (n) => get(`/stats/failures?window=${WINDOWS[n % 3]}`, attack.orgs[0].keys[n % 60])),
  },
  {
    name: 'dry runs of bulk actions',
    seeds: ['labels'],
    run: (attack) =>
      flood(attack, 64, (n) => {
        const filter = {
          tag: ['a', 'b', 'c', 'd', 'e'],
          key: 'k',
          created_before: new Date(Date.now() + n).toISOString(),
        };
        return post('/jobs/bulk', attack.orgs[0].credentials, { action: 'cancel', dry_run: true, filter });
      }),
  },
  {
    name: 'logs of a thousand lines of 8 KB',
    seeds: ['longLogs'],
    run(attack) {
      const { credentials, jobIds } = attack.orgs[0];
      return flood(attack, 64, (n) => get(`/jobs/${jobIds[n % 4]}/logs?limit=1000&detail=full`, credentials));
    },
  },
  {
    name: 'a hundred thousand requests that are sent before an answer',
    run: (attack) => pipeline(attack, rawGet('/jobs?limit=100', attack.orgs[0].credentials)),
  },
];

const WINDOWS = ['1h', '24h', '7d'];
export const NO_MATCH = '/jobs?tag=a&tag=b&tag=c&tag=d&tag=e&key=k&status=failed';

/** Opens event streams. Those that are accepted stay open until the end of the attack. */
export async function openStreams({ urls, orgs, count, endsAt }, streams, headers = {}) {
  for (let n = 0; n < streams; n++) {
    const options = { headers: { ...orgs[n % orgs.length].session, ...headers }, agent: false };
    const req = request(`${urls[n % urls.length]}/jobs/events`, options, (res) => {
      count(res.statusCode);
      res.on('error', () => undefined).resume();
    });
    req.on('error', () => count('cut')).end();
  }
  await until(endsAt);
}

/** Stores jobs for later whose payloads need 22 MiB each when they are parsed. Returns their ids. */
async function storeWide(attack, count) {
  const run_at = new Date(Date.now() + 300 * 86_400_000).toISOString();
  const request = submit(attack.orgs[0], 'a', { wide: Array(340_000).fill({}) }, { run_at });
  const ids = [];
  while (ids.length < count) {
    const id = idIn(await once(attack, request));
    if (id) ids.push(id);
  }
  return ids;
}
