// The HTTP client of the attacks. An attack gets `{ urls, orgs, receiver, endsAt, count, … }`: the addresses of the API
// processes, which it uses in turns, its organizations, the address of its receivers, and what counts an answer.
import { Agent, request } from 'node:http';
import { connect } from 'node:net';

export const MIB = 1024 * 1024;

export const get = (path, headers) => ['GET', path, headers];
export const post = (path, headers, body) => ['POST', path, headers, body];
export const put = (path, headers, body) => ['PUT', path, headers, body];
export const patch = (path, headers, body) => ['PATCH', path, headers, body];

/** Returns the request that submits a job. */
export function submit(org, type, payload, more = {}) {
  return post('/jobs', org.credentials, encode({ type, payload, max_retries: 0, ...more }));
}

/** Encodes a body once, for many requests. */
export function encode(body) {
  return Buffer.from(JSON.stringify(body));
}

/** Sends the n-th of these requests again and again over this number of connections. */
export function flood(attack, connections, next) {
  let n = 0;
  return loop(attack, connections, (call) => call(...next(n++)));
}

/** Does the work again and again, so many times at once. */
export async function loop({ urls, endsAt, count }, connections, work) {
  const agent = new Agent({ keepAlive: true, maxSockets: connections });
  let turn = 0;
  const call = (method, path, headers, body) =>
    new Promise((resolve) => {
      const content = body === undefined || Buffer.isBuffer(body) ? body : encode(body);
      const type = content ? { 'content-type': 'application/json', 'content-length': content.length } : {};
      const url = urls[turn++ % urls.length] + path;
      const req = request(url, { method, agent, headers: { ...type, ...headers } }, (res) => {
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
      req.end(content);
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

/** Sends a request once, and returns the response. */
export async function once(attack, request) {
  let answer;
  await loop({ ...attack, endsAt: 0 }, 1, async (call) => {
    answer = await call(...request);
  });
  return answer;
}

/** Returns the id in a response. */
export function idIn(text) {
  return /"id":"([^"]+)"/.exec(text)?.[1];
}

/** Opens connections to the API processes in turns, and writes the same to each. */
export function openSockets({ urls }, count, localAddress, text) {
  return Array.from({ length: count }, (_, n) => {
    const { hostname, port } = new URL(urls[n % urls.length]);
    const socket = connect({ host: hostname, port: Number(port), localAddress });
    socket.on('error', () => undefined);
    socket.write(text);
    return socket;
  });
}

/** Returns the text of a GET request. */
export function rawGet(path, headers) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `GET ${path} HTTP/1.1\r\nhost: x\r\n${lines.join('')}\r\n`;
}

export function statusIn(text) {
  return /^HTTP\/1.1 (\d+)/.exec(text)?.[1];
}

/** Sends bodies whose last byte never arrives. */
export async function unfinished(attack, path, connections, localAddress = '127.0.0.1') {
  const head = `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${MIB}\r\n\r\n`;
  const sockets = openSockets(attack, connections, localAddress, head);
  for (const socket of sockets) {
    socket.on('error', () => attack.count('cut'));
    socket.once('data', (data) => attack.count(statusIn(data)));
    socket.write(Buffer.alloc(MIB - 1, ' '));
  }
  await until(attack.endsAt);
  const kept = sockets.filter((socket) => !socket.destroyed).length;
  if (kept > 0) attack.count(`${kept} unfinished`);
  for (const socket of sockets) socket.destroy();
}

/** Sends a thousand requests over each of a hundred connections before it reads an answer. */
export async function pipeline(attack, request) {
  const sockets = openSockets(attack, 100, '127.0.0.6', request.repeat(1_000));
  for (const socket of sockets) {
    socket.on('data', (data) => attack.count(statusIn(data) ?? 'more'));
    socket.on('close', () => attack.count('cut'));
  }
  await until(attack.endsAt);
  for (const socket of sockets) socket.removeAllListeners('close').destroy();
}

export function tomorrow() {
  return new Date(Date.now() + 86_400_000).toISOString();
}

export function until(endsAt) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, endsAt - Date.now())));
}
