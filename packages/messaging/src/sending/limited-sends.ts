import type { OrgId } from '@jobline/contracts';
import { Postponed } from '@jobline/handlers/errors';
import type { Ports } from '@jobline/handlers/ports';

/** What jobs send to people. Each kind has its own limit. */
export type SendKind = 'email' | 'sms' | 'chat' | 'team_chat' | 'payment';

/** Takes one message from the budget of an organization. Returns 0, or the time in milliseconds until the next try. */
export type TakeSend = (orgId: OrgId, kind: SendKind) => Promise<number>;

const NAMES: Record<SendKind, string> = {
  email: 'emails',
  sms: 'SMS',
  chat: 'chat messages',
  team_chat: 'team chat messages',
  payment: 'payment prompts',
};

/**
 * Limits the ports of a run to the send budget of its organization. When the budget is used up, the attempt is
 * postponed before anything is written or sent. The job was accepted, so it waits and uses no retry.
 */
export function limitSends(ports: Ports, take: TakeSend, orgId: OrgId): Ports {
  async function within<T>(kind: SendKind, send: () => Promise<T>): Promise<T> {
    const waitMs = await take(orgId, kind);
    if (waitMs > 0)
      throw new Postponed(waitMs, `rate limit exceeded: ${NAMES[kind]} sent by the jobs of the organization`);
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
