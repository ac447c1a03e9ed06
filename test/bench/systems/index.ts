import type { System } from '../system.js';
import { express } from './express.js';
import { jobline } from './jobline.js';
import { libraryOverHttp, librarySystem } from './library.js';

/** In the order of a round. */
export const systems: readonly System[] = [
  jobline,
  librarySystem('bullmq'),
  librarySystem('pg-boss'),
  librarySystem('graphile-worker'),
  libraryOverHttp('pg-boss-http', 'pg-boss'),
  libraryOverHttp('graphile-worker-http', 'graphile-worker'),
  express,
];
