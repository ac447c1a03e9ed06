import { FlaskConical } from 'lucide-react';

/** The provider that records messages and does not send them. */
export const SANDBOX = 'sandbox';

/** How messages of the sandbox are shown. */
export const RECORDED = { word: 'Recorded, not sent', icon: FlaskConical, tone: 'warning' } as const;

/** Whether the provider may still report a status change of the message. */
export function awaitsReport({ status, provider }: { status: string; provider: string }): boolean {
  return status === 'queued' || (status === 'sent' && provider !== SANDBOX);
}
