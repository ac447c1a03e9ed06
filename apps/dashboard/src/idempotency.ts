import { useRef } from 'react';

/**
 * The `Idempotency-Key` of a form: made when it is first sent, and the same while its content is, so that double clicks
 * and repeats after a failure or a sign-in are carried out once.
 */
export function useIdempotencyKey(): (content: unknown) => string {
  const last = useRef<{ content: string; key: string } | null>(null);
  return (content) => {
    const text = JSON.stringify(content);
    if (last.current?.content !== text) last.current = { content: text, key: randomKey() };
    return last.current.key;
  };
}

/** Not `randomUUID`: over plain http the browser has it for localhost alone. */
export function randomKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}
