/** Begins the key of everything that a form keeps in sessionStorage. */
export const DRAFT_PREFIX = 'jobline.draft.';

/** Deletes the drafts of this tab, of every user and organization. Called on sign-out. */
export function clearDrafts(): void {
  const keys = Object.keys(sessionStorage).filter((key) => key.startsWith(DRAFT_PREFIX));
  for (const key of keys) sessionStorage.removeItem(key);
}
