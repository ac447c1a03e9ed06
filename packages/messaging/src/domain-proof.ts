/** Proves that an organization owns a domain: by a TXT record that only the owner of the domain can publish. */

/** A name below the domain, so that there are no other records at the same name. */
const LABEL = '_jobline-challenge';
const PREFIX = 'jobline-verify=';

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
  return { type: 'TXT', name: `${LABEL}.${domain}`, value: `${PREFIX}${token}` };
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
