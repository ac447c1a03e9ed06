import { domainToASCII, domainToUnicode } from 'node:url';

/** Letters of any script, with their marks and digits. No invisible characters. */
const WRITTEN = /^[\p{L}\p{M}\p{N}.\u3002\uff0e\uff61-]+$/u;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MAX_LENGTH = 253;

/**
 * Normalizes a domain name so that two names can be compared: lower case, punycode, no dot at the end. Null for a text
 * that is not a domain name: a single label, an IP address, or an invalid label.
 */
export function readDomainName(text: string): string | null {
  if (text.length > MAX_LENGTH + 1 || !WRITTEN.test(text)) return null;
  const name = domainToASCII(text.replace(/\.$/, ''));
  const labels = name.split('.');
  if (name.length > MAX_LENGTH || labels.length < 2 || !labels.every((label) => LABEL.test(label))) return null;
  // Punycode that encodes no letters. From Node 24, domainToASCII accepts it.
  if (/(^|\.)xn--/.test(domainToUnicode(name))) return null;
  // The last label of a domain name is never a number: then the text is an IP address.
  return /^\d+$/.test(labels.at(-1) ?? '') ? null : name;
}

/**
 * An organization proves that it owns a domain by a TXT record that only the owner of the domain can publish. The name
 * is below the domain, so that there are no other records at the same name.
 */
const PROOF_LABEL = '_jobline-challenge';
const PROOF_PREFIX = 'jobline-verify=';

export interface TxtRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** The values of the TXT records of a name, or why there are none. */
export type TxtAnswer =
  | { kind: 'found'; values: readonly string[] }
  | { kind: 'absent' }
  | { kind: 'failed'; reason: string };

/** The record that the organization must publish. */
export function proofRecord(domain: string, token: string): TxtRecord {
  return { type: 'TXT', name: `${PROOF_LABEL}.${domain}`, value: `${PROOF_PREFIX}${token}` };
}

/** Null if the proof is published, otherwise the reason why not. Other records may exist at the same name. */
export function decideProof(record: TxtRecord, answer: TxtAnswer): string | null {
  if (answer.kind === 'failed') return `${record.name} could not be looked up: ${answer.reason}. Try again later.`;
  if (answer.kind === 'absent') {
    return `There is no TXT record at ${record.name} yet. A new record can take some minutes to be seen.`;
  }
  if (answer.values.includes(record.value)) return null;
  const others = answer.values.length === 1 ? 'a TXT record' : `${answer.values.length} TXT records`;
  return `There is ${others} at ${record.name}, but none with the value ${record.value}.`;
}
