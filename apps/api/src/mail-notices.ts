import { type AlertToMail, type Db, type DisabledWebhook, takeAlertsToMail, takeDisabledWebhooks } from '@jobline/db';
import type { SystemMail, SystemMailKind, SystemMails } from '@jobline/messaging';
import type { Logger } from '@jobline/runtime';

/** Informs people by email of what has happened. Returns the time in ms until the next call. Never rejects. */
type MailNotices = () => Promise<number>;

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

/**
 * Informs an owner or admin that an alert was raised. With the organization's name: unlike the recipients of invites, these have
 * joined the organization.
 */
function mailOfAlert(alert: AlertToMail, to: string, publicUrl: string): SystemMail {
  const { what, threshold, address } = describe(alert);
  return {
    about: { alert_id: alert.id },
    to,
    subject: `Jobline: ${what}`,
    body: [
      `Organization "${alert.orgName}": ${what}. The threshold of the organization is ${threshold}.`,
      `The jobs are at ${publicUrl}${address}`,
      'At most one email of each kind is sent in an hour. Owners and admins change the threshold with PATCH /org/settings.',
    ].join('\n\n'),
  };
}

function describe({ kind, threshold, value }: AlertToMail): { what: string; threshold: string; address: string } {
  if (kind === 'failure_rate') {
    const what = `${value} % of your jobs failed in the last 15 minutes`;
    return { what, threshold: `${threshold} %`, address: '/?status=failed' };
  }
  const what = `a job has been waiting for ${value} seconds`;
  return { what, threshold: `${threshold} seconds`, address: '/?status=pending' };
}

/**
 * Informs an owner that a webhook was disabled. Without the organization's name: that is free text, which could imitate a message
 * of the service.
 */
function mailOfDisabledWebhook({ id, url }: DisabledWebhook, to: string, publicUrl: string): SystemMail {
  const { host } = new URL(url);
  return {
    about: { webhook_id: id },
    to,
    subject: 'A webhook was disabled',
    body: [
      `Jobline at ${publicUrl} sends no more events to ${host}, because it answered 410 or no attempt succeeded for five days.`,
      'Deliveries are kept for 30 days. When the receiver works again, enable the webhook and recover them.',
    ].join('\n\n'),
  };
}
