/** What a planned time does while an earlier planned job of the schedule has not finished. */
export const SCHEDULE_OVERLAPS = ['allow', 'skip', 'cancel_previous'] as const;
export type ScheduleOverlap = (typeof SCHEDULE_OVERLAPS)[number];

/** What happens to planned times that passed while no process was running. */
export const SCHEDULE_MISSED = ['run_once', 'run_all', 'skip'] as const;
export type ScheduleMissed = (typeof SCHEDULE_MISSED)[number];
