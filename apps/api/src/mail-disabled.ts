import { type Db, type DisabledWebhook, takeDisabledWebhooks } from '@jobline/db';
import type { SystemMail, SystemMails } from '@jobline/messaging';
import type { Logger } from '@jobline/runtime';

/** Informs owners by email that a webhook was disabled. Returns the time in ms until the next call. Never rejects. */
export type MailDisabled = () => Promise<number>;

const WEBHOOKS = 20;
const EVERY_MS = 5_000;

export function createMailDisabled(deps: {
  db: Db;
  systemMails: SystemMails;
  log: Logger;
  publicUrl: string;
}): MailDisabled {
  const { db, systemMails, log, publicUrl } = deps;
  return async () => {
    try {
      for (const webhook of await takeDisabledWebhooks(db, WEBHOOKS)) {
        for (const owner of webhook.owners) {
          const make = async () => toMail(webhook, owner, publicUrl);
          const posted = systemMails.post({ kind: 'webhook disabled', to: owner, source: webhook.id, make });
          if (posted !== 'taken')
            log.warn('the email of a disabled webhook is not sent', { webhook_id: webhook.id, reason: posted });
        }
      }
    } catch (error) {
      log.warn('owners of disabled webhooks were not informed', { error });
    }
    return EVERY_MS;
  };
}

/** Without the organization's name: that is free text, which could imitate a message of the service. */
function toMail({ id, url }: DisabledWebhook, owner: string, publicUrl: string): SystemMail {
  const { host } = new URL(url);
  return {
    about: { webhook_id: id },
    to: owner,
    subject: 'A webhook was disabled',
    body: [
      `Jobline at ${publicUrl} sends no more events to ${host}, because it answered 410 or no attempt succeeded for five days.`,
      'Deliveries are kept for 30 days. When the receiver works again, enable the webhook and recover them.',
    ].join('\n\n'),
  };
}
