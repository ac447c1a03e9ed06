import type { OrgId } from '@jobline/contracts';
import { Postponed } from '@jobline/handlers/errors';
import type { Ports } from '@jobline/handlers/ports';

/** What jobs send to people. Each kind has its own limit. */
export type SendKind = 'email' | 'sms' | 'chat' | 'team_chat' | 'payment';

/** Takes messages from the budget of an organization, by default one. Returns 0, or the time in milliseconds until the next try. */
export type TakeSend = (orgId: OrgId, kind: SendKind, count?: number) => Promise<number>;

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
  async function within<T>(kind: SendKind, send: () => Promise<T>, count = 1): Promise<T> {
    const waitMs = await take(orgId, kind, count);
    if (waitMs > 0)
      throw new Postponed(waitMs, `rate limit exceeded: ${NAMES[kind]} sent by the jobs of the organization`);
    return send();
  }
  const { teamChat, messages, payments } = ports;
  return {
    ...ports,
    teamChat: {
      provider: teamChat.provider,
      post: (message, signal) => within('team_chat', () => teamChat.post(message, signal)),
    },
    messages: {
      sendChat: (message, run) => within('chat', () => messages.sendChat(message, run)),
      sendEmail(email, run) {
        const count = 1 + (email.cc?.length ?? 0) + (email.bcc?.length ?? 0);
        return within('email', () => messages.sendEmail(email, run), count);
      },
      sendSms: (sms, run) => within('sms', () => messages.sendSms(sms, run)),
    },
    payments: {
      request: (...payment) => within('payment', () => payments.request(...payment)),
    },
  };
}
