/** Something that the person at the terminal can act on: its message is shown alone, without a stack. */
export class PlainError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PlainError';
  }
}

/** One line that says why. Errors of the network may have an empty message and carry the reasons inside. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  // fetch says no more than "fetch failed" itself
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || error.name;
}
