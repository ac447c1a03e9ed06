const BYTES = 16;

/** `crypto.randomUUID` exists only on pages that were loaded over https. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(BYTES));
  return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
