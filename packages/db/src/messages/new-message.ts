import type { Channel, CopyKind } from '@jobline/contracts';
import type { Message } from '../generated/client.js';

/** A message that is about to be sent to its provider. */
export interface NewMessage {
  id: string;
  channel: Channel;
  provider: string;
  recipient: string;
  /** The forms of the recipient that a suppression may have. */
  addresses: readonly string[];
  sender: string | null;
  subject: string | null;
  /** The name of the template of the organization that was filled; null: none. */
  template: string | null;
  body: string;
  segments: number | null;
}

/** A further recipient of an email that is about to be sent. */
export interface NewCopy extends Pick<NewMessage, 'recipient' | 'addresses'> {
  /** The id of its message is the `siblingId` of that of the message to `to` and this. */
  key: string;
  kind: CopyKind;
}

/** What the sender of a message needs to know about it. */
export type OnRecord = Pick<Message, 'id' | 'status' | 'provider' | 'providerMessageId'>;
