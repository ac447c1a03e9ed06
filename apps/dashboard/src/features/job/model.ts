import type { Schemas } from '@jobline/client';
import { oneOf, search } from '../../search-params.js';

export type Job = Schemas['Job'];
export type JobResult = Schemas['JobResult'];

const JOB_TABS = ['log', 'payload', 'result', 'files'] as const;
export type JobTab = (typeof JOB_TABS)[number];

/** The number of an attempt. The log then shows only its lines. */
const attempt = (value: unknown): number | undefined =>
  /^[1-9]\d{0,6}$/.test(String(value)) ? Number(value) : undefined;

export const jobSearch = search({ tab: oneOf(JOB_TABS), attempt });
