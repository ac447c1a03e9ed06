export * from './format-number.js';
export * from './format-time.js';
export { fromLocalInput, toLocalInput, zoneName } from './local-time.js';
export { truncateMiddle } from './truncate.js';
