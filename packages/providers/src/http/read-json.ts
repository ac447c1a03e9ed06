/** An answer that should be a JSON object, of which every field is to be looked at before use; null if it is none. */
export function readJson<T extends object>(text: string): Partial<T> | null {
  try {
    const value: unknown = JSON.parse(text);
    // The cast: T names fields whose types are unknown, so it promises nothing about them.
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : null;
  } catch {
    return null; // a gateway's page of HTML, say
  }
}
