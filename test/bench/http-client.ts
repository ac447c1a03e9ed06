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
  const sockets = await Promise.all(
    Array.from({ length: connections }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true });
      await once(socket, 'connect');
      return socket;
    }),
  );
  const queue: Waiting[] = [];
  const idle = sockets.map((socket) => createLane(socket, (lane) => next(lane)));

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
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** One connection, which sends one request at a time. */
interface Lane {
  send(waiting: Waiting): void;
}

function createLane(socket: Socket, onFree: (lane: Lane) => void): Lane {
  let current: Waiting | undefined;
  let text = '';
  const fail = (error: Error) => {
    current?.reject(error);
    current = undefined;
  };
  const lane: Lane = {
    send(waiting) {
      current = waiting;
      socket.write(waiting.request);
    },
  };
  // Bodies are ASCII here, so a character is a byte.
  socket.setEncoding('latin1').on('data', (chunk: string) => {
    text += chunk;
    const answer = parse(text);
    if (!answer) return;
    text = '';
    const { resolve } = current ?? {};
    current = undefined;
    onFree(lane);
    resolve?.(answer);
  });
  socket.on('error', fail);
  socket.on('close', () => fail(new Error('the server closed the connection')));
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
