/** How an organization shows that a domain is its own: by a TXT record that only the domain's holder can publish. */

/** Below the domain, so that the proof stands beside nothing else. */
const LABEL = '_jobline-challenge';
const PREFIX = 'jobline-verify=';

export interface TxtRecord {
  type: 'TXT';
  name: string;
  value: string;
}

/** What the domain's name servers say: the values of a name, or why there is none. */
export type TxtAnswer =
  | { kind: 'found'; values: readonly string[] }
  | { kind: 'absent' }
  | { kind: 'failed'; reason: string };

/** The record to publish. */
export function proofRecord(domain: string, token: string): TxtRecord {
  return { type: 'TXT', name: `${LABEL}.${domain}`, value: `${PREFIX}${token}` };
}

/** Null when the proof is there, else why not. Records of others may stand beside it. Pure. */
export function decideProof(record: TxtRecord, answer: TxtAnswer): string | null {
  if (answer.kind === 'failed') return `${record.name} could not be looked up: ${answer.reason}. Try again later.`;
  if (answer.kind === 'absent') {
    return `There is no TXT record at ${record.name} yet. A new record can take some minutes to be seen.`;
  }
  if (answer.values.includes(record.value)) return null;
  const others = answer.values.length === 1 ? 'a TXT record' : `${answer.values.length} TXT records`;
  return `There is ${others} at ${record.name}, but none with the value ${record.value}.`;
}
