import type { OrgId, UserId } from '@jobline/contracts';
import {
  type AlertToMail,
  countNotice,
  type Db,
  FIRST_ID,
  type Notice,
  type NoticeKind,
  takeAlertsToMail,
  takeDisabledWebhooks,
} from '@jobline/db';
import { describeAlert } from '@jobline/engine';
import type { SystemMail, SystemMailKind, SystemMails } from '@jobline/messaging';
import type { Logger } from '@jobline/runtime';
import { makeProofMail } from './auth/proof-mail.js';

/** Informs people by email of what has happened. Returns the time in ms until the next call. Never rejects. */
type MailNotices = () => Promise<number>;

interface NoticeDeps {
  db: Db;
  systemMails: SystemMails;
  log: Logger;
  publicUrl: string;
}

interface NoticeSource<N extends Notice> {
  kind: SystemMailKind;
  counted: NoticeKind;
  /** What an unproved address may learn. */
  inShort: string;
  /** Takes notices that are due: at most `limit`, one of each of the organizations after `after`, in the order of their ids. */
  take(db: Db, after: OrgId, limit: number): Promise<readonly N[]>;
  /** The email to a person with a proved address. It contains no text that people chose: links lead to it. */
  toMail(notice: N, publicUrl: string): Omit<SystemMail, 'to'>;
}

/** Notices of one call, each of another organization. */
const NOTICES = 5;
/** While more emails wait, no notices are taken: an email for which the queue has no capacity would be lost. */
const MAX_WAITING = 100;
const EVERY_MS = 5_000;
/** The cast: it precedes every id of an organization. */
const FIRST_ORG = FIRST_ID as OrgId;

/** Disabled webhooks and alerts. */
export function createMailNotices(deps: NoticeDeps): MailNotices[] {
  return [
    mailsOf(deps, {
      kind: 'webhook disabled',
      counted: 'webhook',
      inShort: 'A webhook of your organization was disabled.',
      take: takeDisabledWebhooks,
      toMail: mailOfDisabledWebhook,
    }),
    mailsOf(deps, {
      kind: 'alert',
      counted: 'alert',
      inShort: 'An alert of your organization was raised.',
      take: takeAlertsToMail,
      toMail: mailOfAlert,
    }),
  ];
}

function mailsOf<N extends Notice>(deps: NoticeDeps, source: NoticeSource<N>): MailNotices {
  const { db, systemMails, log, publicUrl } = deps;
  const { kind } = source;
  /** The last organization of the previous call: all have their turn before one has another. */
  let after = FIRST_ORG;

  async function make(mail: Omit<SystemMail, 'to'>, userId: UserId): Promise<SystemMail | null> {
    const to = await countNotice(db, userId, source.counted);
    return to === null ? makeProofMail(deps, userId, source.inShort) : { ...mail, to };
  }

  return async () => {
    if (systemMails.waiting() > MAX_WAITING) return EVERY_MS;
    try {
      const notices = await source.take(db, after, NOTICES);
      after =
        notices.length < NOTICES
          ? FIRST_ORG
          : (notices
              .map(({ orgId }) => orgId)
              .sort()
              .at(-1) ?? FIRST_ORG);
      for (const notice of notices) {
        const mail = source.toMail(notice, publicUrl);
        for (const userId of notice.recipients) {
          const posted = systemMails.post({ kind, to: userId, source: notice.orgId, make: () => make(mail, userId) });
          if (posted !== 'taken') log.warn('an email is not sent', { kind, ...mail.about, reason: posted });
        }
      }
    } catch (error) {
      log.warn('people were not informed by email', { kind, error });
    }
    return EVERY_MS;
  };
}

/** Informs an owner or admin that an alert was raised. */
function mailOfAlert(alert: AlertToMail, publicUrl: string): Omit<SystemMail, 'to'> {
  const { what, threshold, status } = describeAlert(alert);
  return {
    about: { alert_id: alert.id },
    subject: `Jobline: ${what}`,
    body: [
      `In one of your organizations ${what}. The threshold of this organization is ${threshold}.`,
      `The organization and its jobs: ${publicUrl}/?org=${alert.orgId}&status=${status}`,
      'At most one email of each kind is sent in an hour. Owners and admins change the threshold in the settings.',
    ].join('\n\n'),
  };
}

/** Informs an owner that a webhook was disabled. */
function mailOfDisabledWebhook({ id, orgId }: Notice, publicUrl: string): Omit<SystemMail, 'to'> {
  return {
    about: { webhook_id: id },
    subject: 'A webhook was disabled',
    body: [
      'Jobline sends no more events to one of your webhooks, because it answered 410 or no attempt succeeded for five days:',
      `${publicUrl}/webhooks?org=${orgId}&id=${id}`,
      'Deliveries are kept for 30 days. When the receiver works again, enable the webhook and recover them.',
    ].join('\n\n'),
  };
}
