import type { Jobline } from '@jobline/client';
import type { Channel, MessageStatus } from '@jobline/contracts';
import { useQuery } from '@tanstack/react-query';
import { type List, useList, usePendingRows } from '../../api/use-list.js';
import { awaitsReport } from '../../product/message/message-status.js';
import { useApi } from '../../services.js';
import type { Details, Message } from './channels.js';
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

type Read<Detail> = (api: Jobline, id: string, options: { signal: AbortSignal }) => Promise<Detail>;

const READ: { [C in Channel]: Read<Details[C]> } = {
  email: (api, id, options) => api.email.get(id, options),
  sms: (api, id, options) => api.sms.get(id, options),
  chat: (api, id, options) => api.chat.get(id, options),
};

/** Loads one message with its delivery reports, and polls it while its provider may still report a change. */
export function useMessage<C extends Channel>(channel: C, id: string) {
  const api = useApi();
  const read: Read<Details[C]> = READ[channel];
  return useQuery({
    queryKey: [channel, id],
    queryFn: ({ signal }) => read(api, id, { signal }),
    placeholderData: () => undefined, // do not show another message while this one loads
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? MESSAGE_EVERY_MS : false),
  });
}
