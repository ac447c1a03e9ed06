import type { AddressInfo } from 'node:net';
import DNS from 'dns2';

/** A real name server on this machine, for the look-ups of the services under test. */
export interface NameServer {
  /** `127.0.0.1:port`. */
  address: string;
  /** The names that were asked for. */
  asked: string[];
  /** What a name's TXT records are: values, each in pieces or whole. None: the name does not exist. */
  publish(name: string, ...values: (string | string[])[]): void;
  /** From now on it answers nothing but this error, or not at all. */
  break(how: 'servfail' | 'refused' | 'silent'): void;
  close(): Promise<void>;
}

const CODES = { ok: 0, servfail: 2, nxdomain: 3, refused: 5 };

export async function startNameServer(): Promise<NameServer> {
  const records = new Map<string, (string | string[])[]>();
  const asked: string[] = [];
  let broken: 'servfail' | 'refused' | 'silent' | null = null;
  const server = DNS.createServer({
    udp: true,
    handle(request, send) {
      const response = DNS.Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question?.name.toLowerCase() ?? '';
      asked.push(name);
      if (broken === 'silent') return;
      const values = records.get(name);
      response.header.rcode = broken ? CODES[broken] : values ? CODES.ok : CODES.nxdomain;
      if (!broken && question?.type === DNS.Packet.TYPE.TXT) {
        for (const data of values ?? []) {
          const record = { name, type: DNS.Packet.TYPE.TXT, class: DNS.Packet.CLASS.IN, ttl: 60, data };
          // The cast: the packet writes the record by itself.
          response.answers.push(record as DNS.Packet.Resource);
        }
      }
      void send(response);
    },
  });
  const addresses = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  // The cast: a socket that is bound to a port has such an address.
  const { port } = (addresses as { udp: AddressInfo }).udp;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    publish: (name, ...values) => void records.set(name.toLowerCase(), values),
    break(how) {
      broken = how;
    },
    async close() {
      await server.close();
    },
  };
}
