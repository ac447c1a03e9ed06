import { type AlertToMail, type Db, takeAlertsToMail } from '@jobline/db';
import type { SystemMail, SystemMails } from '@jobline/messaging';
import type { Logger } from '@jobline/runtime';

/** Informs owners and admins by email that an alert was raised. Returns the time in ms until the next call. Never rejects. */
export type MailAlerts = () => Promise<number>;

/** Alerts of one call. Each has many emails, which must not fill the queue of the service's emails. */
const ALERTS = 2;
const EVERY_MS = 5_000;

export function createMailAlerts(deps: {
  db: Db;
  systemMails: SystemMails;
  log: Logger;
  publicUrl: string;
}): MailAlerts {
  const { db, systemMails, log, publicUrl } = deps;
  return async () => {
    try {
      for (const alert of await takeAlertsToMail(db, ALERTS)) {
        for (const to of alert.recipients) {
          const make = async () => toMail(alert, to, publicUrl);
          const posted = systemMails.post({ kind: 'alert', to, source: alert.id, make });
          if (posted !== 'taken') log.warn('the email of an alert is not sent', { alert_id: alert.id, reason: posted });
        }
      }
    } catch (error) {
      log.warn('owners and admins were not informed of alerts', { error });
    }
    return EVERY_MS;
  };
}

/** With the organization's name: unlike the recipients of invites, these have joined the organization. */
function toMail(alert: AlertToMail, to: string, publicUrl: string): SystemMail {
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
