import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import type { JobKey, OrgId } from '@jobline/contracts';

/** What the address of a link names. It names nothing else, even if something else gets the same name later. */
export type Linked = { orgId: OrgId; expiresAt: Date } & (
  | { kind: 'file'; id: string }
  | {
      kind: 'artifact';
      jobKey: JobKey;
      name: string;
      /** In hexadecimal. */
      sha256: string;
    }
);

/** Signs the addresses of links. Nothing is stored: what a link names, and until when, is part of its address. */
export interface LinkTokens {
  issue(linked: Linked): string;
  /** Null for every text that `issue` did not return, and for a link that has expired. */
  verify(token: string): Linked | null;
}

const KEY_BYTES = 32;
/** Longer than every token. The name of an artifact has at most 200 characters, of three bytes each. */
const MAX_LENGTH = 2_048;

export function createLinkTokens(secret: string): LinkTokens {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'jobline links v1', KEY_BYTES));
  // As text: a decoder would accept several texts for the same bytes.
  const sign = (content: string) => createHmac('sha256', key).update(content).digest('base64url');
  return {
    issue(linked) {
      const content = Buffer.from(JSON.stringify(linked)).toString('base64url');
      return `${content}.${sign(content)}`;
    },
    verify(token) {
      const [content = '', signature = '', ...rest] = token.length > MAX_LENGTH ? [] : token.split('.');
      if (rest.length > 0 || !isEqual(signature, sign(content))) return null;
      // The cast: the service signed it.
      const linked = JSON.parse(Buffer.from(content, 'base64url').toString()) as Linked;
      const expiresAt = new Date(linked.expiresAt);
      return expiresAt.getTime() > Date.now() ? { ...linked, expiresAt } : null;
    },
  };
}

function isEqual(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
