import { FlaskConical } from 'lucide-react';

/** The provider that records messages and sends none. */
export const SANDBOX = 'sandbox';

/** What its messages are called, and never sent. */
export const RECORDED = { word: 'Recorded, not sent', icon: FlaskConical, tone: 'warning' } as const;

/** Whether a provider may still report on it. */
export function awaitsReport({ status, provider }: { status: string; provider: string }): boolean {
  return status === 'queued' || (status === 'sent' && provider !== SANDBOX);
}
