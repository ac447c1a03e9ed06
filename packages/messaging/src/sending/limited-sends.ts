import type { OrgId } from '@jobline/contracts';
import { Postponed } from '@jobline/handlers/errors';
import type { Ports } from '@jobline/handlers/ports';

/** What jobs send to people, each kind counted by itself. */
export type SendKind = 'email' | 'sms' | 'chat' | 'team_chat' | 'payment';

/** Takes one from an organization's budget of a kind. Answers 0, or after how many ms to try again. */
export type TakeSend = (orgId: OrgId, kind: SendKind) => Promise<number>;

const WHAT: Record<SendKind, string> = {
  email: 'emails',
  sms: 'SMS',
  chat: 'chat messages',
  team_chat: 'team chat messages',
  payment: 'payment prompts',
};

/**
 * The ports of one run, which send only within the budget of its organization. Past it the attempt is postponed before
 * anything is written or sent: the job was accepted, so it waits, and uses no retry.
 */
export function limitSends(ports: Ports, take: TakeSend, orgId: OrgId): Ports {
  async function within<T>(kind: SendKind, send: () => Promise<T>): Promise<T> {
    const waitMs = await take(orgId, kind);
    if (waitMs > 0) throw new Postponed(waitMs, `the organization's jobs send more ${WHAT[kind]} than they may`);
    return send();
  }
  const { chat, teamChat, messages, payments } = ports;
  return {
    ...ports,
    chat: {
      provider: chat.provider,
      send: (message, signal) => within('chat', () => chat.send(message, signal)),
    },
    teamChat: {
      provider: teamChat.provider,
      post: (message, signal) => within('team_chat', () => teamChat.post(message, signal)),
    },
    messages: {
      sendEmail: (email, run) => within('email', () => messages.sendEmail(email, run)),
      sendSms: (sms, run) => within('sms', () => messages.sendSms(sms, run)),
    },
    payments: {
      request: (...payment) => within('payment', () => payments.request(...payment)),
    },
  };
}
