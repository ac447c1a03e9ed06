/** The parts of a process that the command uses. */
export type Io = Pick<NodeJS.Process, 'env' | 'stdin' | 'stdout' | 'stderr'>;
