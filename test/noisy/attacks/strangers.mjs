import { encode, flood, get, openSockets, pipeline, post, rawGet, statusIn, unfinished, until } from './client.mjs';

/** Attacks before any credential is known. */
export const STRANGERS = [
  {
    name: 'an email of combining marks',
    run(attack) {
      const body = encode({ email: `a${'\u0301\u0323'.repeat(250_000)}`, password: 'x' });
      return flood(attack, 4, () => post('/auth/login', {}, body));
    },
  },
  {
    name: 'callbacks that are never finished',
    run: (attack) => unfinished(attack, '/webhooks/africastalking', 200),
  },
  {
    name: 'logins that are never finished',
    run: (attack) => unfinished(attack, '/auth/login', 200),
  },
  {
    name: 'large bodies of two addresses that are never finished',
    run: (attack) =>
      Promise.all(['127.0.0.4', '127.0.0.5'].map((address) => unfinished(attack, '/auth/login', 40, address))),
  },
  {
    name: 'made-up API keys',
    run: (attack) => flood(attack, 32, (n) => get('/jobs', { 'x-api-key': attack.keys[n % attack.keys.length] })),
  },
  {
    name: 'three thousand connections at the same time',
    async run(attack) {
      const text = 'GET /jobs HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n';
      const sockets = openSockets(attack, 3_000, '127.0.0.2', text);
      let open = sockets.length;
      for (const socket of sockets) {
        let received = '';
        socket.on('data', (data) => {
          received ||= data.toString();
        });
        socket.on('close', () => {
          open--;
          attack.count(statusIn(received) ?? 'closed');
        });
      }
      await until(attack.endsAt);
      if (open > 0) attack.count(`${open} unanswered`);
    },
  },
  {
    name: 'requests with headers of 15 KB',
    run: (attack) => flood(attack, 200, (n) => get('/jobs', { 'x-api-key': `${n}`, 'x-large': 'x'.repeat(15_000) })),
  },
  {
    name: 'a hundred thousand requests without a key that are sent before an answer',
    run: (attack) => pipeline(attack, rawGet('/jobs', {})),
  },
  {
    name: 'logins from two hundred addresses',
    run: (attack) => loginFromMany(attack),
  },
];

/** Each login needs a hash of its password. A rate limit of each address does not bound them. */
export async function loginFromMany(attack) {
  const body = JSON.stringify({ email: 'a@example.com', password: 'wrong password' });
  const head = 'POST /auth/login HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-type: application/json\r\n';
  const text = `${head}content-length: ${body.length}\r\n\r\n${body}`;
  const login = (address) =>
    new Promise((resolve) => {
      const [socket] = openSockets(attack, 1, address, text);
      let received = '';
      socket.on('data', (data) => {
        received ||= data.toString();
      });
      socket.on('close', () => resolve(attack.count(statusIn(received) ?? 'closed')));
    });
  const repeat = async (_, n) => {
    do await login(`127.0.1.${1 + n}`);
    while (Date.now() < attack.endsAt);
  };
  await Promise.all(Array.from({ length: 200 }, repeat));
}
