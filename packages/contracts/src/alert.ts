/** What an alert is about: too many jobs failed, or a due job has waited too long. */
export const ALERT_KINDS = ['failure_rate', 'oldest_waiting'] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** When the jobs of an organization raise alerts, and who gets them. */
export interface AlertSettings {
  /** Whether owners and admins get an email. */
  email: boolean;
  /** Whether webhooks that have chosen alerts get an event. */
  webhook: boolean;
  /** An alert is raised if more of the jobs fail; null: never. */
  failure_rate_percent: number | null;
  /** An alert is raised if a due job waits longer; null: never. */
  oldest_waiting_seconds: number | null;
}

export const ALERT_LIMITS = {
  minPercent: 1,
  maxPercent: 100,
  minWaitingSeconds: 5,
  maxWaitingSeconds: 86_400,
  /** The share of failed jobs is that of the jobs that finished in this time. */
  windowMinutes: 15,
  /** If fewer jobs finished, the share counts as 0. */
  minFinished: 20,
  /** At most one alert of a kind is raised in this time. */
  pauseMinutes: 60,
} as const;
