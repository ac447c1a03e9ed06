import { useMe } from '../session/use-session.js';
import { DRAFT_PREFIX } from './draft-storage.js';

/** Returns the sessionStorage key for data of a form, separate for each user and organization. Sign-out deletes it. */
export function useDraftKey(form: string): string {
  const { user, org } = useMe();
  return `${DRAFT_PREFIX}${user.id}.${org.id}.${form}`;
}
