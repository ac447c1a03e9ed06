import type { System } from '../system.js';
import { express } from './express.js';
import { jobline } from './jobline.js';
import { librarySystem } from './library.js';

/** In the order of a round. */
export const systems: readonly System[] = [
  jobline,
  librarySystem('bullmq'),
  librarySystem('pg-boss'),
  librarySystem('graphile-worker'),
  express,
];
