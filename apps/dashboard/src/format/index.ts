export * from './numbers.js';
export { isObject, truncateMiddle } from './text.js';
export * from './times.js';
