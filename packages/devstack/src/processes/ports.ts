import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A free port of 127.0.0.1, below the range from which systems take the ports of outgoing connections: a server that
 * restarts on it finds it free again.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(20_000, 32_000);
    if ((await listenError(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error('no free port between 20000 and 32000');
}

/** The error code that listening on the port gives, or undefined if the port is free. */
export async function listenError(port: number, host: string): Promise<string | undefined> {
  const server = createServer();
  try {
    await once(server.listen(port, host), 'listening');
    return undefined;
  } catch (error) {
    return error instanceof Error && 'code' in error ? String(error.code) : String(error);
  } finally {
    server.close();
  }
}

/** The first part of the reply to the text. Empty if there is none within the limit. */
export async function ask(port: number, text: string, limitMs: number): Promise<string> {
  return (await exchange('127.0.0.1', port, text, limitMs)) ?? '';
}

export async function canConnect(host: string, port: number): Promise<boolean> {
  return (await exchange(host, port, null, 5_000)) !== null;
}

/** Null if the connection or the reply fails. Without a text, no reply is awaited. */
async function exchange(host: string, port: number, text: string | null, limitMs: number): Promise<string | null> {
  const socket = connect({ host, port });
  socket.on('error', () => undefined); // `once` below reports it
  try {
    if (text !== null) socket.write(text);
    const [reply] = await once(socket, text === null ? 'connect' : 'data', { signal: AbortSignal.timeout(limitMs) });
    return String(reply ?? '');
  } catch {
    return null; // not there
  } finally {
    socket.destroy();
  }
}
