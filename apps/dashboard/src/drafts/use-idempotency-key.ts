import { useDraftKey } from './use-draft.js';

/** The `Idempotency-Key`s of a form. */
export interface FormKeys {
  /** Made when this content is first sent, and the same while it is. */
  of(content: unknown): string;
  /** Once it has succeeded: the same content sent again is meant to be done again. */
  forget(): void;
}

/**
 * Of one form: double clicks, and repeats after a failure, a sign-in or a look at another page, are carried out once. The
 * last key is kept beside the form's draft, in this tab.
 */
export function useIdempotencyKey(form: string): FormKeys {
  const at = useDraftKey(`${form}.key`);
  return {
    of(content) {
      const text = JSON.stringify(content);
      const last = sessionStorage.getItem(at);
      const known = last === null ? null : (JSON.parse(last) as Sent); // written below
      if (known?.content === text) return known.key;
      const sent: Sent = { content: text, key: randomKey() };
      sessionStorage.setItem(at, JSON.stringify(sent));
      return sent.key;
    },
    forget: () => sessionStorage.removeItem(at),
  };
}

interface Sent {
  content: string;
  key: string;
}

/** Not `randomUUID`: over plain http the browser has it for localhost alone. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
