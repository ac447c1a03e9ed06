import type { Schemas } from '@jobline/client';
import { useQuery } from '@tanstack/react-query';
import { useList } from '../../api/use-list.js';
import { awaitsReport } from '../../product/message/message-status.js';
import { useApi } from '../../services.js';

export type Text = Schemas['Sms'];
export type TextDetail = Schemas['SmsDetail'];
export type TextStatus = Text['status'];

export const PAGE_SIZE = 50;
/** The polling intervals. The API has no event stream for SMS. */
const LIST_EVERY_MS = 15_000;
const TEXT_EVERY_MS = 5_000;

/** Loads the sent SMS, newest first, page by page. */
export function useTexts(status: TextStatus | undefined) {
  return useList('listSms', { limit: PAGE_SIZE, ...(status && { status }) }, LIST_EVERY_MS);
}

/** Loads one SMS with its delivery reports, and polls it while its provider may still report a change. */
export function useText(id: string) {
  const api = useApi();
  return useQuery({
    queryKey: ['text', id],
    queryFn: ({ signal }) => api.sms.get(id, { signal }),
    placeholderData: () => undefined, // do not show another SMS while this one loads
    refetchInterval: ({ state: { data } }) => (data && awaitsReport(data) ? TEXT_EVERY_MS : false),
  });
}
