// Attacks an API from a separate process, so that the cost of the attack does not affect the measurements of the
// victim. Plain JavaScript without dependencies, so that it runs without a build. The parent sends one attack; the
// answer is the number of responses per status.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

const MIB = 1024 * 1024;

process.once('message', async (attack) => {
  const answered = new Map();
  const count = (what) => answered.set(what, (answered.get(what) ?? 0) + 1);
  await ATTACKS[attack.name]({ ...attack, endsAt: Date.now() + attack.ms, count });
  // Open connections of the attack end with the process.
  process.send(Object.fromEntries(answered), () => process.exit());
});

/** Maps each name to a function that attacks until its time has passed. */
const ATTACKS = {
  'an email of combining marks': (attack) =>
    flood(attack, 4, () => [
      'POST',
      '/auth/login',
      json({ email: `a${'\u0301\u0323'.repeat(250_000)}`, password: 'x' }),
      {},
    ]),

  'a template that fills its memory': (attack) =>
    flood(attack, 2, () => ['POST', '/jobs', json(job('generate_pdf', { template: poison() })), attack.credentials]),

  'a preview of 400 MiB': (attack) =>
    flood(attack, 4, () => [
      'POST',
      '/org/templates/preview',
      json({ kind: 'sms', body: WIDE, data: {} }),
      attack.session,
    ]),

  'previews that never end': (attack) =>
    flood(attack, 32, () => [
      'POST',
      '/org/templates/preview',
      json({
        kind: 'sms',
        body: '{% for i in (1..100000000) %}{{ i }}{% endfor %}',
        data: { text: 'x'.repeat(MIB / 2) },
      }),
      attack.session,
    ]),

  'a stored template that fills the memory at submission': (attack) =>
    flood(attack, 4, () => [
      'POST',
      '/jobs',
      json(job('send_email', { to: 'a@example.com', template: 'wide', data: {} })),
      attack.credentials,
    ]),

  'email bodies of spaces': (attack) =>
    flood(attack, 4, () => [
      'POST',
      '/jobs',
      json(job('send_email', { to: 'a@example.com', subject: 'a', body: `<a =${' '.repeat(MIB - 1_000)}` })),
      attack.credentials,
    ]),

  'hosts whose name servers are silent': (attack) => {
    let n = 0;
    return flood(attack, 8, () => [
      'POST',
      '/jobs',
      json(job('webhook', { url: `http://h${n++}.silent.test/`, payload: {} })),
      attack.credentials,
    ]);
  },

  'images that are canceled': (attack) =>
    loop(attack, 4, async (call) => {
      const made = await call(
        'POST',
        '/jobs',
        json(job('compress_image', { url: attack.imageUrl })),
        attack.credentials,
      );
      const id = /"id":"([^"]+)"/.exec(made)?.[1];
      await new Promise((resolve) => setTimeout(resolve, 100));
      if (id) await call('POST', `/jobs/${id}/cancel`, null, attack.credentials);
    }),

  'callbacks that are never finished': (attack) => unfinished(attack, '/webhooks/africastalking', 200),

  'logins that are never finished': (attack) => unfinished(attack, '/auth/login', 200),

  'wide payloads to a slow receiver': (attack) =>
    flood(attack, 8, () => [
      'POST',
      '/jobs',
      json(job('webhook', { url: attack.slowUrl, payload: { wide: Array(340_000).fill({}) } })),
      attack.credentials,
    ]),

  'made-up API keys': (attack) => {
    let n = 0;
    return flood(attack, 32, () => ['GET', '/jobs', null, { 'x-api-key': attack.keys[n++ % attack.keys.length] }]);
  },

  'payloads of quotes': (attack) =>
    flood(attack, 8, () => [
      'POST',
      '/jobs',
      json(job('a', { text: '"'.repeat(MIB / 2 - 1_000) })),
      attack.credentials,
    ]),

  'bodies of empty objects': (attack) => {
    const body = Buffer.from(`{"type":"a","payload":{"wide":[${'{},'.repeat(340_000)}{}]}}`);
    return flood(attack, 32, () => ['POST', '/jobs', body, attack.credentials]);
  },

  'wide payloads that are read and run again': async (attack) => {
    const [later, finished] = await storeWide(attack, 2);
    const once = { ...attack, endsAt: 0 };
    await loop(once, 1, (call) => call('POST', `/jobs/${finished}/cancel`, null, attack.credentials));
    let n = 0;
    await flood(attack, 24, () =>
      n++ % 2 === 0
        ? ['GET', `/jobs/${later}`, null, attack.credentials]
        : ['POST', `/jobs/${finished}/rerun`, null, { ...attack.credentials, 'idempotency-key': `${n}` }],
    );
  },

  'responses that are never read': async (attack) => {
    const [id] = await storeWide(attack, 1);
    const { hostname, port } = new URL(attack.url);
    const headers = Object.entries(attack.credentials).map(([name, value]) => `${name}: ${value}`);
    const get = `GET /jobs/${id} HTTP/1.1\r\nhost: x\r\n${headers.join('\r\n')}\r\n\r\n`;
    const sockets = Array.from({ length: 400 }, () => {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.3' });
      socket.on('error', () => undefined).on('close', () => attack.count('cut'));
      socket.write(get);
      return socket.pause();
    });
    await until(attack.endsAt);
    attack.count(`${sockets.filter((socket) => !socket.destroyed).length} unread`);
    for (const socket of sockets) socket.removeAllListeners('close').destroy();
  },

  'large bodies of two addresses that are never finished': (attack) =>
    Promise.all(['127.0.0.4', '127.0.0.5'].map((localAddress) => unfinished(attack, '/auth/login', 40, localAddress))),

  'jobs that are retried and canceled in a loop': (attack) =>
    loop(attack, 16, async (call) => {
      const made = await call(
        'POST',
        '/jobs',
        json(job('webhook', { url: attack.slowUrl, payload: {} })),
        attack.credentials,
      );
      const id = /"id":"([^"]+)"/.exec(made)?.[1];
      if (!id) return;
      await call('POST', `/jobs/${id}/cancel`, null, attack.credentials);
      await call('POST', `/jobs/${id}/retry`, null, attack.credentials);
      await call('POST', `/jobs/${id}/cancel`, null, attack.credentials);
    }),

  'a thousand event streams': async (attack) => {
    const open = () =>
      new Promise((resolve) => {
        const req = request(`${attack.url}/jobs/events`, { headers: attack.session, agent: false }, (res) => {
          attack.count(res.statusCode);
          res.on('error', () => undefined).resume();
          resolve();
        });
        req.on('error', () => resolve(attack.count('cut'))).end();
      });
    await Promise.all(Array.from({ length: 1_000 }, open));
    await until(attack.endsAt);
  },

  'a burst of jobs': (attack) =>
    flood(attack, 500, () => [
      'POST',
      '/jobs',
      json(job('webhook', { url: attack.fastUrl, payload: {} })),
      attack.credentials,
    ]),

  'pages of a thousand': (attack) => flood(attack, 100, () => ['GET', '/jobs?limit=1000', null, attack.credentials]),

  'three thousand connections at the same time': async (attack) => {
    const { hostname, port } = new URL(attack.url);
    let open = 3_000;
    for (let n = 0; n < 3_000; n++) {
      const socket = connect({ host: hostname, port: Number(port), localAddress: '127.0.0.2' });
      let received = '';
      socket.on('data', (data) => {
        received ||= data.toString();
      });
      socket
        .on('error', () => undefined)
        .on('close', () => {
          open--;
          attack.count(/^HTTP\/1.1 (\d+)/.exec(received)?.[1] ?? 'closed');
        });
      socket.write('GET /jobs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    }
    await until(attack.endsAt);
    if (open > 0) attack.count(`${open} unanswered`);
  },
};

const WIDE = `{% assign s = "xxxxxxxxxxxxxxxx" %}{% for i in (1..18) %}{% assign s = s | append: s %}{% endfor %}{% for i in (1..100) %}{{ s }}{% endfor %}`;

/** Returns a template that crashes the process that renders it: it captures large texts in turn and flattens each. */
function poison() {
  const text = 'x'.repeat(280_000);
  const round = (name) =>
    `{% capture ${name} %}{% for i in (1..170) %}${text}{% endfor %}{{ j }}{% endcapture %}{% if ${name} contains "z" %}{% endif %}`;
  return `{% for j in (1..3) %}${round('a')}${round('b')}${round('c')}{% endfor %}`;
}

function job(type, payload) {
  return { type, payload, max_retries: 0 };
}

function json(value) {
  return Buffer.from(JSON.stringify(value));
}

/** Sends the same request repeatedly over this number of connections. */
function flood(attack, connections, next) {
  return loop(attack, connections, (call) => call(...next()));
}

async function loop({ url, endsAt, count }, connections, work) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  const call = (method, path, body, headers) =>
    new Promise((resolve) => {
      const type = body ? { 'content-type': 'application/json', 'content-length': body.length } : {};
      const req = request(url + path, { method, agent, headers: { ...type, ...headers } }, (res) => {
        count(res.statusCode);
        let text = '';
        res.on('data', (chunk) => {
          if (text.length < 1_000) text += chunk;
        });
        res.on('close', () => resolve(text));
      });
      req.on('error', (error) => {
        count(error.code ?? 'cut');
        // A request that fails immediately is not repeated in the same millisecond.
        setTimeout(() => resolve(''), 10);
      });
      req.end(body ?? undefined);
    });
  // Requests in progress are awaited, however long they take: an attack that hangs makes its test fail.
  await Promise.all(
    Array.from({ length: connections }, async () => {
      do await work(call);
      while (Date.now() < endsAt);
    }),
  );
  agent.destroy();
}

/** Stores jobs for later whose payloads need 22 MiB each when they are parsed. Returns their ids. */
async function storeWide(attack, count) {
  const body = `{"type":"a","run_at":"${new Date(Date.now() + 300 * 86_400_000).toISOString()}","payload":{"wide":[${'{},'.repeat(340_000)}{}]}}`;
  const ids = [];
  await loop({ ...attack, endsAt: 0 }, 1, async (call) => {
    while (ids.length < count) {
      const id = /"id":"([^"]+)"/.exec(await call('POST', '/jobs', Buffer.from(body), attack.credentials))?.[1];
      if (id) ids.push(id);
    }
  });
  return ids;
}

/** Sends bodies whose last byte never arrives. */
async function unfinished({ url, endsAt, count }, path, connections, localAddress = '127.0.0.1') {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: connections }, () => {
    const socket = connect({ port: Number(port), host: hostname, localAddress });
    socket.on('error', () => count('cut'));
    socket.once('data', (data) => count(Number(/^HTTP\/1.1 (\d+)/.exec(data.toString())?.[1])));
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`,
    );
    socket.write(Buffer.alloc(MIB - 1, ' '));
    return socket;
  });
  await until(endsAt);
  const kept = sockets.filter((socket) => !socket.destroyed).length;
  if (kept > 0) count(`${kept} unfinished`);
  for (const socket of sockets) socket.destroy();
}

function until(endsAt) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, endsAt - Date.now())));
}
