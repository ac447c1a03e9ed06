import type { Schemas } from '@jobline/client';
import type { MessageStatus } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useList } from '../../api/use-list.js';
import { awaitsReport } from '../../product/message/message-status.js';
import { useApi } from '../../services.js';

export type Email = Schemas['Email'];
export type EmailDetail = Schemas['EmailDetail'];

export const PAGE_SIZE = 50;
/** The polling intervals. The API has no event stream for emails. */
const LIST_EVERY_MS = 15_000;
const MESSAGE_EVERY_MS = 5_000;

/** Loads the emails of a folder, newest first, page by page. */
export function useEmails(status: MessageStatus | undefined) {
  return useList('listEmails', { limit: PAGE_SIZE, ...(status && { status }) }, LIST_EVERY_MS);
}

/** Loads one email, and polls it while its provider may still report a change. */
export function useEmail(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['email', id],
    queryFn: ({ signal }) => api.email.get(id, { signal }),
    placeholderData: () => undefined, // do not show another email while this one loads
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? MESSAGE_EVERY_MS : false),
  });
}
