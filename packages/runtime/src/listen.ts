import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Nothing is broken, but somebody else has the port. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/** Gives the port: not what was asked for if that was 0. `setting` is the variable that names it. Throws PortTaken. */
export async function listen(
  server: Server,
  { host, port, setting }: { host: string; port: number; setting: string },
): Promise<number> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    // once() rejects with the server's own error.
    if (error instanceof Error && 'code' in error && error.code === 'EADDRINUSE') {
      throw new PortTaken(`Port ${port} on ${host} is taken by another process: stop that one or set ${setting}.`);
    }
    throw error;
  }
  return (server.address() as AddressInfo).port; // not a pipe: it was given a port
}
