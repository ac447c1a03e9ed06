/** An error that the user can act on. Only its message is shown, without a stack. */
export class PlainError extends Error {
  override name = 'PlainError';
}

/** The reason in one line. Network errors may have an empty message and contain the reasons. */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.message === 'fetch failed' && error.cause !== undefined) return reasonOf(error.cause);
  return error.message || error.name;
}
