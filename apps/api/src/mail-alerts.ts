import type { AlertToMail } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';

/**
 * Informs an owner or admin that an alert was raised. With the organization's name: unlike the recipients of invites, these have
 * joined the organization.
 */
export function mailOfAlert(alert: AlertToMail, to: string, publicUrl: string): SystemMail {
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
