import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

export interface Answer {
  status: number;
  body: string;
}

/** A minimal HTTP/1.1 client, so that the load generator uses little CPU: keep-alive, no pipelining. */
export interface Client {
  /** Waits for a free connection. */
  post(path: string, body: string): Promise<Answer>;
  close(): void;
}

interface Waiting {
  request: string;
  resolve(answer: Answer): void;
  reject(error: Error): void;
}

export async function openClient(url: string, connections: number, headers: Record<string, string>): Promise<Client> {
  const { hostname, port, host } = new URL(url);
  const common = Object.entries({ Host: host, 'Content-Type': 'application/json', ...headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  const open = () => connect({ host: hostname, port: Number(port), noDelay: true });
  const queue: Waiting[] = [];
  const lanes = Array.from({ length: connections }, () => createLane(open, (lane) => next(lane)));
  await Promise.all(lanes.map((lane) => lane.connected));
  const idle = [...lanes];

  function next(lane: Lane): void {
    const waiting = queue.shift();
    if (waiting) lane.send(waiting);
    else idle.push(lane);
  }

  return {
    post: (path, body) =>
      new Promise((resolve, reject) => {
        const length = Buffer.byteLength(body);
        const request = `POST ${path} HTTP/1.1\r\n${common}Content-Length: ${length}\r\n\r\n${body}`;
        const lane = idle.pop();
        if (lane) lane.send({ request, resolve, reject });
        else queue.push({ request, resolve, reject });
      }),
    close() {
      for (const lane of lanes) lane.close();
    },
  };
}

/**
 * One connection, which sends one request at a time. A server may close it while it is idle: then the next request opens
 * another one.
 */
interface Lane {
  connected: Promise<unknown>;
  send(waiting: Waiting): void;
  close(): void;
}

function createLane(open: () => Socket, onFree: (lane: Lane) => void): Lane {
  let current: Waiting | undefined;
  let text = '';
  let socket = start();

  function start(): Socket {
    const opened = open();
    // Bodies are ASCII here, so a character is a byte.
    opened.setEncoding('latin1').on('data', receive);
    opened.on('error', (error) => fail(opened, error));
    opened.on('close', () => fail(opened, new Error('the server closed the connection')));
    return opened;
  }

  function fail(closed: Socket, error: Error): void {
    if (closed !== socket) return;
    current?.reject(error);
    current = undefined;
  }

  function receive(chunk: string): void {
    text += chunk;
    const answer = parse(text);
    if (!answer) return;
    text = '';
    const { resolve } = current ?? {};
    current = undefined;
    onFree(lane);
    resolve?.(answer);
  }

  const lane: Lane = {
    connected: once(socket, 'connect'),
    send(waiting) {
      if (!socket.writable) socket = start();
      current = waiting;
      socket.write(waiting.request);
    },
    close: () => void socket.destroy(),
  };
  return lane;
}

/** Null until the answer is complete. */
function parse(text: string): Answer | null {
  const end = text.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end)) ?? [];
  if (length === undefined) throw new Error('an answer without a Content-Length');
  if (text.length < end + 4 + Number(length)) return null;
  return { status: Number(text.slice(9, 12)), body: text.slice(end + 4) };
}
