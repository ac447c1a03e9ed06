const CHARACTERS = 160;

/** The number of segments that an SMS is counted as: one per 160 characters, at least one. */
export function segmentsOf(message: string): number {
  let count = 0;
  for (const _ of message) count++;
  return Math.max(1, Math.ceil(count / CHARACTERS));
}
