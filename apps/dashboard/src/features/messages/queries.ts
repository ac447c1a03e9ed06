import type { MessageStatus } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { useList } from '../../api/use-list.js';
import { awaitsReport } from '../../product/message/message-status.js';
import { useApi } from '../../services.js';
import type { SmsStatus } from './model.js';

export const PAGE_SIZE = 50;
/** The polling intervals. The API has no event stream for messages. */
const LIST_EVERY_MS = 15_000;
const MESSAGE_EVERY_MS = 5_000;

/** Loads the emails of a folder, newest first, page by page. */
export function useEmails(status: MessageStatus | undefined) {
  return useList('listEmails', { limit: PAGE_SIZE, ...(status && { status }) }, LIST_EVERY_MS);
}

/** Loads the sent SMS, newest first, page by page. */
export function useSmsList(status: SmsStatus | undefined) {
  return useList('listSms', { limit: PAGE_SIZE, ...(status && { status }) }, LIST_EVERY_MS);
}

/** Loads the chat messages, newest first, page by page. */
export function useChatList(status: SmsStatus | undefined) {
  return useList('listChatMessages', { limit: PAGE_SIZE, ...(status && { status }) }, LIST_EVERY_MS);
}

export function useChatMessage(id: string) {
  const api = useApi();
  return useMessage(['chat', id], (signal) => api.chat.get(id, { signal }));
}

export function useEmail(id: string) {
  const api = useApi();
  return useMessage(['email', id], (signal) => api.email.get(id, { signal }));
}

export function useSms(id: string) {
  const api = useApi();
  return useMessage(['sms', id], (signal) => api.sms.get(id, { signal }));
}

/** Loads one message with its delivery reports, and polls it while its provider may still report a change. */
function useMessage<T extends Parameters<typeof awaitsReport>[0]>(
  queryKey: string[],
  get: (signal: AbortSignal) => Promise<T>,
) {
  return useQuery({
    queryKey,
    queryFn: ({ signal }) => get(signal),
    placeholderData: () => undefined, // do not show another message while this one loads
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? MESSAGE_EVERY_MS : false),
  });
}
