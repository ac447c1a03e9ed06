import { once } from 'node:events';
import type { AddressInfo, Server } from 'node:net';

/** Another process uses the port; the configuration itself may be valid. */
export class PortTaken extends Error {
  override readonly name = 'PortTaken';
}

/**
 * Binds a server to a port and returns the port, which the system chooses if 0 was requested. `setting` is the name of
 * its variable. Throws PortTaken.
 */
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
      throw new PortTaken(`Port ${port} on ${host} is used by another process: stop that process or set ${setting}.`);
    }
    throw error;
  }
  return (server.address() as AddressInfo).port; // not a pipe: the server has a port
}
