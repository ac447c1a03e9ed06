import { useDraftKey } from './use-draft-form.js';

/**
 * The idempotency keys of one form. Double clicks, and repeated requests after a failure, a new sign-in or a visit of
 * another page, are executed once. The last key is stored with the form's draft, in this tab.
 */
export function useIdempotencyKey(form: string) {
  const at = useDraftKey(`${form}.key`);
  return {
    /** Returns the key for this content. The same content gets the same key, until `forget` is called. */
    of(content: unknown): string {
      const text = JSON.stringify(content);
      const last = sessionStorage.getItem(at);
      const known = last === null ? null : (JSON.parse(last) as { content: string; key: string }); // written below
      if (known?.content === text) return known.key;
      const key = randomKey();
      sessionStorage.setItem(at, JSON.stringify({ content: text, key }));
      return key;
    },
    /** Call it after success: sending the same content again is then a new request. */
    forget: () => sessionStorage.removeItem(at),
  };
}

/** `randomUUID` is not used because browsers offer it only over HTTPS and on localhost. */
function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
