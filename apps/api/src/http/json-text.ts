const texts = new WeakMap<object, string>();

/** Serializes a body that many responses have. It must not change afterward. */
export function withText<T extends object>(body: T): T {
  texts.set(body, JSON.stringify(body));
  return body;
}

/** The JSON of a body. */
export function jsonText(body: unknown): string {
  return (typeof body === 'object' && body !== null ? texts.get(body) : undefined) ?? JSON.stringify(body);
}
