export * from './format-number.js';
export * from './format-time.js';
export { isObject } from './json-text.js';
export { fromLocalInput, toLocalInput, zoneName } from './local-time.js';
export * from './number-input.js';
export * from './period.js';
export { truncateMiddle } from './truncate.js';
