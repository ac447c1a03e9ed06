import { type Db, takeAlertsToMail, takeDisabledWebhooks } from '@jobline/db';
import type { SystemMail, SystemMailKind, SystemMails } from '@jobline/messaging';
import type { Logger } from '@jobline/runtime';
import { mailOfAlert } from './mail-alerts.js';
import { mailOfDisabledWebhook } from './mail-disabled.js';

/** Informs people by email of what has happened. Returns the time in ms until the next call. Never rejects. */
export type MailNotices = () => Promise<number>;

interface NoticeDeps {
  db: Db;
  systemMails: SystemMails;
  log: Logger;
  publicUrl: string;
}

/** Something of which people must be informed. */
interface Notice {
  id: string;
  /** Their addresses. */
  recipients: readonly string[];
}

interface NoticeSource<N extends Notice> {
  kind: SystemMailKind;
  /** Takes notices that are due. Each is returned once. */
  take(db: Db, limit: number): Promise<readonly N[]>;
  toMail(notice: N, to: string, publicUrl: string): SystemMail;
}

/** Notices of one call. Each can have many emails, which must not fill the queue of the service's emails. */
const NOTICES = 2;
const EVERY_MS = 5_000;

/** Disabled webhooks and alerts. */
export function createMailNotices(deps: NoticeDeps): MailNotices[] {
  return [
    mailsOf(deps, { kind: 'webhook disabled', take: takeDisabledWebhooks, toMail: mailOfDisabledWebhook }),
    mailsOf(deps, { kind: 'alert', take: takeAlertsToMail, toMail: mailOfAlert }),
  ];
}

function mailsOf<N extends Notice>(
  { db, systemMails, log, publicUrl }: NoticeDeps,
  { kind, take, toMail }: NoticeSource<N>,
): MailNotices {
  return async () => {
    try {
      for (const notice of await take(db, NOTICES)) {
        for (const to of notice.recipients) {
          const mail = toMail(notice, to, publicUrl);
          const posted = systemMails.post({ kind, to, source: notice.id, make: async () => mail });
          if (posted !== 'taken') log.warn('an email is not sent', { kind, ...mail.about, reason: posted });
        }
      }
    } catch (error) {
      log.warn('people were not informed by email', { kind, error });
    }
    return EVERY_MS;
  };
}
