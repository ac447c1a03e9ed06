const CHARACTERS = 160;

/** How many parts an SMS is counted as: of 160 characters each, at least one. */
export function segmentsOf(message: string): number {
  let count = 0;
  for (const _ of message) count++;
  return Math.max(1, Math.ceil(count / CHARACTERS));
}
