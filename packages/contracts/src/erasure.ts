export const ERASURE_STATUSES = ['running', 'done'] as const;
export type ErasureStatus = (typeof ERASURE_STATUSES)[number];

/** An erasure of what is stored about an address or a key. It does not say what it erases. */
export interface ErasureView {
  id: string;
  status: ErasureStatus;
  /** How many were deleted so far. */
  jobs: number;
  messages: number;
  files: number;
  /** How many suppressions were deleted or became a hash. */
  suppressions: number;
  /** The ids of the schedules that named it: they are paused. */
  schedules: string[];
  created_at: string;
  finished_at: string | null;
}
