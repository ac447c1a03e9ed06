/** The role matrix, which the pages know too. */
export { hasRight, type Right, rolesWith } from '@jobline/contracts';
