/** Work for the whole service, which one worker does at a time, as the holder of a lease. */
export interface Task {
  /** Does a bounded part of the work. Returns the time in ms until the next round. */
  round(): Promise<number>;
  /** Lets another worker continue immediately. */
  end(): Promise<void>;
}
