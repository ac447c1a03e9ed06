import { CHANGES } from './changes.mjs';
import { until } from './client.mjs';
import { COMBINED } from './combined.mjs';
import { COMPUTING } from './computing.mjs';
import { EVENTS } from './events.mjs';
import { JOBS } from './jobs.mjs';
import { READS } from './reads.mjs';
import { STRANGERS } from './strangers.mjs';

/** What the attacks are compared with. */
export const IDLE = { name: 'no attack', run: ({ endsAt }) => until(endsAt) };

/** All attacks, in the order in which they run. */
export const ATTACKS = [...COMPUTING, ...STRANGERS, ...JOBS, ...READS, ...CHANGES, ...EVENTS, ...COMBINED];
