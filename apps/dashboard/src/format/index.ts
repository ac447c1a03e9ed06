export * from './numbers.js';
export { changedFields, isObject, truncateMiddle, wordsOf } from './text.js';
export * from './times.js';
