import { type AddressInfo, isIPv6 } from 'node:net';
import DNS from 'dns2';

/** A real name server on this machine, for lookups of the services under test. */
export interface NameServer {
  /** `127.0.0.1:port`. */
  address: string;
  /** The names that were requested. */
  asked: string[];
  /** Sets a name's TXT records: values, each whole or in parts. None: the name does not exist. */
  publish(name: string, ...values: (string | string[])[]): void;
  /** Sets a name's addresses. None: the name does not exist. */
  point(name: string, ...addresses: string[]): void;
  /** From now on, requests for names with this ending get no response. */
  silence(ending: string): void;
  /** From now on, every request gets this error, or no response. */
  break(how: 'servfail' | 'refused' | 'silent'): void;
  close(): Promise<void>;
}

const CODES = { ok: 0, servfail: 2, nxdomain: 3, refused: 5 };

export async function startNameServer(): Promise<NameServer> {
  const texts = new Map<string, (string | string[])[]>();
  const addresses = new Map<string, string[]>();
  const silenced: string[] = [];
  const asked: string[] = [];
  let broken: 'servfail' | 'refused' | 'silent' | null = null;
  const { TYPE, CLASS } = DNS.Packet;

  function recordsOf(name: string, type: number | undefined): DNS.Packet.Resource[] {
    const own = (fields: object) => ({ name, type, class: CLASS.IN, ttl: 60, ...fields });
    const pointed = addresses.get(name) ?? [];
    const records =
      type === TYPE.TXT
        ? (texts.get(name) ?? []).map((data) => own({ data }))
        : pointed
            .filter((address) => type === (isIPv6(address) ? TYPE.AAAA : TYPE.A))
            .map((address) => own({ address }));
    // The cast: the packet can write the records.
    return records as DNS.Packet.Resource[];
  }

  const server = DNS.createServer({
    udp: true,
    handle(request, send) {
      const response = DNS.Packet.createResponseFromRequest(request);
      const [question] = request.questions;
      const name = question?.name.toLowerCase() ?? '';
      asked.push(name);
      if (broken === 'silent' || silenced.some((ending) => name.endsWith(ending))) return;
      const exists = texts.has(name) || addresses.has(name);
      response.header.rcode = broken ? CODES[broken] : exists ? CODES.ok : CODES.nxdomain;
      if (!broken) for (const record of recordsOf(name, question?.type)) response.answers.push(record);
      void send(response);
    },
  });
  const bound = await server.listen({ udp: { port: 0, address: '127.0.0.1' } });
  // The cast: a socket that is bound to a port has such an address.
  const { port } = (bound as { udp: AddressInfo }).udp;
  return {
    address: `127.0.0.1:${port}`,
    asked,
    publish: (name, ...values) => void texts.set(name.toLowerCase(), values),
    point: (name, ...given) => void addresses.set(name.toLowerCase(), given),
    silence: (ending) => void silenced.push(ending),
    break(how) {
      broken = how;
    },
    async close() {
      await server.close();
    },
  };
}
