import { isIP } from 'node:net';
import Joi, { type CustomHelpers, type ErrorReport } from 'joi';

/** The setting DNS_SERVERS, as a list; empty by default. */
export function nameServersSetting(): Joi.StringSchema<readonly string[]> {
  return Joi.string<readonly string[]>()
    .custom(parseServers)
    .default(() => []);
}

/** Addresses, each with an optional port: `192.0.2.1`, `192.0.2.1:5353`, `[2001:db8::1]:53`. */
function parseServers(text: string, { message }: CustomHelpers): readonly string[] | ErrorReport {
  const servers = text.split(',').map((server) => server.trim());
  if (servers.every(isServer)) return servers;
  return message({
    custom: '{{#label}} must be addresses of name servers, separated by commas, each with an optional port',
  });
}

function isServer(text: string): boolean {
  if (isIP(text) !== 0) return true;
  const [, six, four, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d{1,5})$/.exec(text) ?? [];
  const isAddress = six === undefined ? isIP(four ?? '') === 4 : isIP(six) === 6;
  return isAddress && Number(port) >= 1 && Number(port) <= 65_535;
}
