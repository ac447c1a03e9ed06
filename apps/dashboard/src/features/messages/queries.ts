import type { Channel, MessageStatus } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { type List, useList, usePendingRows } from '../../api/use-list.js';
import { awaitsReport } from '../../product/message/message-status.js';
import { useServices } from '../../services.js';
import type { Message, MessageDetail } from './channels.js';
import { type Filters, filtersOf } from './model.js';

export const PAGE_SIZE = 50;
/** The polling intervals. The API has no event stream for messages. */
const LIST_EVERY_MS = 15_000;
const MESSAGE_EVERY_MS = 5_000;

/** The operations that list the messages of a channel. */
export const LISTS = { email: 'listEmails', sms: 'listSms', chat: 'listChatMessages' } as const;

/** Loads the messages of a channel that match, newest first, page by page. New ones wait until the user asks for them. */
export function useMessages(channel: Channel, status: MessageStatus | undefined, params: Filters) {
  const query = { limit: PAGE_SIZE, ...(status && { status }), ...filtersOf(params) };
  const list: List<Message> = useList(LISTS[channel], query, LIST_EVERY_MS);
  return { list, pending: usePendingRows(JSON.stringify(query), list) };
}

/**
 * Loads one message with its delivery reports, and polls it while its provider may still report a change. A new status is
 * also shown in the list.
 */
export function useMessage<C extends Channel>(channel: C, id: string) {
  const { api, queries } = useServices();
  const queryKey = [channel, id];
  return useQuery({
    queryKey,
    queryFn: async ({ signal }) => {
      const message = await api[channel].get(id, { signal });
      const before = queries.getQueryData<MessageDetail>(queryKey);
      if (before && before.status !== message.status) void queries.invalidateQueries({ queryKey: [LISTS[channel]] });
      return message as MessageDetail<C>; // a channel has only messages of its kind
    },
    placeholderData: () => undefined, // do not show another message while this one loads
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? MESSAGE_EVERY_MS : false),
  });
}
