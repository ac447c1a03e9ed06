import type { Page } from '../types.js';

/** The rows of all pages of a list. Reads a page when its first row is needed. */
export async function* listAll<Item>(
  list: (next: { cursor?: string }) => Promise<Page<Item>>,
): AsyncGenerator<Item, void, undefined> {
  let next: { cursor?: string } = {};
  for (;;) {
    const { data, nextCursor } = await list(next);
    yield* data;
    if (nextCursor === null) return;
    next = { cursor: nextCursor };
  }
}
