import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, createServer } from 'node:net';

/**
 * A port of 127.0.0.1 that nobody listens on, below the range from which systems take the ports of outgoing
 * connections: a server that restarts on it finds it free again.
 */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < 100; tries++) {
    const port = randomInt(20_000, 32_000);
    if ((await listenError(port, '127.0.0.1')) === undefined) return port;
  }
  throw new Error('no free port between 20000 and 32000');
}

/** Why one cannot listen there, as an error code; undefined if one can. */
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

/** What the other side answers to the text first, or nothing if it does not answer in time. */
export async function ask(port: number, text: string, limitMs: number): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1' });
  socket.on('error', () => undefined); // `once` below reports it
  try {
    socket.write(text);
    const [answer] = await once(socket, 'data', { signal: AbortSignal.timeout(limitMs) });
    return String(answer);
  } catch {
    return ''; // not there yet
  } finally {
    socket.destroy();
  }
}

export async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect({ host, port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(5_000) });
    return true;
  } catch {
    return false; // that it cannot is the answer
  } finally {
    socket.destroy();
  }
}
