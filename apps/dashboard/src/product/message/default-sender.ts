import { useQuery } from '@tanstack/react-query';
import { useApi } from '../../services.js';
import { SANDBOX } from './message-status.js';

type SentChannel = 'email' | 'sms';

/** The channels of the job types whose payload may have a `from`. */
const CHANNELS: Readonly<Record<string, SentChannel>> = { send_email: 'email', send_sms: 'sms' };

/** Returns which sender a job without `from` in its payload uses; undefined for other types. */
export function useSenderNote(type: string): string | undefined {
  const words = useDefaultSender(CHANNELS[type]);
  return words && `The sender if the payload has no “from”: ${words}`;
}

/** Returns the sender of messages that name none, in words. Undefined: no channel is given, or it is not loaded. */
export function useDefaultSender(channel: SentChannel | undefined): string | undefined {
  const api = useApi();
  const { data } = useQuery({
    queryKey: ['getDefaultSenders'],
    queryFn: ({ signal }) => api.call('getDefaultSenders', {}, { signal }),
    enabled: channel !== undefined,
  });
  if (!data || !channel) return undefined;
  const { provider, from, required } = data[channel];
  if (from !== null) return from;
  if (required) return 'none is configured';
  return provider === SANDBOX ? 'none, because the sandbox sends nothing' : `chosen by ${provider}`;
}
