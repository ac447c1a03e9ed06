import type { DisabledWebhook } from '@jobline/db';
import type { SystemMail } from '@jobline/messaging';

/**
 * Informs an owner that a webhook was disabled. Without the organization's name: that is free text, which could imitate a message
 * of the service.
 */
export function mailOfDisabledWebhook({ id, url }: DisabledWebhook, to: string, publicUrl: string): SystemMail {
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
