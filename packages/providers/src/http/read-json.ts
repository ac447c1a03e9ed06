/** Parses an answer that should be a JSON object; null if it is not one. Check every field before use. */
export function readJson<T extends object>(text: string): Partial<T> | null {
  try {
    const value: unknown = JSON.parse(text);
    // The cast: the fields of T have the type unknown, so the cast promises nothing about them.
    return typeof value === 'object' && value !== null ? (value as Partial<T>) : null;
  } catch {
    return null; // for example an HTML page of a gateway
  }
}
