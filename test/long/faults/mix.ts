import type { Expected } from './history/check-job.js';

type Kind = 'quick' | 'retried' | 'slow' | 'webhook' | 'sms' | 'chat' | 'limited' | 'later' | 'failing';

/** The jobs of each 20 submissions. */
const KINDS: readonly Kind[] = [
  ...new Array<Kind>(10).fill('quick'),
  ...new Array<Kind>(2).fill('retried'),
  ...new Array<Kind>(2).fill('webhook'),
  'slow',
  'sms',
  'chat',
  'limited',
  'later',
  'failing',
];

export const MIX_SIZE = KINDS.length;
/** The limit of the jobs of the kind `limited`. */
export const LIMIT = { name: 'lane', concurrency: 20 };
const LATER_MS = 5_000;
const SLOW_MS = 1_000;
/** A job that fails more often than planned shows it in its log, and still ends. */
const MAX_RETRIES = 20;

function kindOf(n: number): Kind {
  return KINDS[n % MIX_SIZE] ?? 'quick';
}

export function isLater(n: number): boolean {
  return kindOf(n) === 'later';
}

/** The body of submission `n`, whose calls go to the recorder at `url`. */
export function bodyOf(n: number, url: string): object {
  const kind = kindOf(n);
  const common = { max_retries: MAX_RETRIES };
  const custom = (type: string, ms = 0) => ({ ...common, type, payload: { url: `${url}/run/${n}`, ms } });
  switch (kind) {
    case 'quick':
    case 'retried':
      return custom('fault.quick');
    case 'slow':
      return custom('fault.slow', SLOW_MS);
    case 'webhook':
      return { ...common, type: 'webhook', payload: { url: `${url}/hook/${n}`, payload: { n } } };
    case 'sms':
      return { ...common, type: 'send_sms', payload: { to: '+254700000001', message: `job ${n}` } };
    case 'chat':
      return { ...common, type: 'team_chat_notify', payload: { channel: '#faults', text: `job ${n}` } };
    case 'limited':
      return { ...custom('fault.limited', 10), limit: LIMIT.name };
    case 'later':
      return { ...custom('fault.quick'), run_at: new Date(Date.now() + LATER_MS).toISOString() };
    case 'failing':
      return { ...custom('fault.quick'), tags: [`n-${n}`] };
  }
}

/** What must become of submission `n`. `hasEvents`: a webhook gets the events of failed jobs. */
export function expectedOf(n: number, hasEvents: boolean): Expected {
  const kind = kindOf(n);
  const hasAttempts = !['webhook', 'sms', 'chat'].includes(kind);
  return {
    end: kind === 'failing' ? 'failed' : 'done',
    failures: kind === 'retried' ? 1 : 0,
    lines: hasAttempts || kind === 'webhook' ? 2 : null,
    hasAttempts,
    isReported: hasEvents && kind === 'failing',
  };
}
