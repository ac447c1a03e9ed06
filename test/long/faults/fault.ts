import type { DeploymentOptions } from './deployment.js';
import type { ServerOptions, Servers } from './servers.js';
import type { Trial } from './trial.js';

/** A fault that is caused while jobs are submitted and run. */
export interface Fault {
  /** As in the table. */
  name: string;
  /** How long the load takes at least. */
  loadSeconds: number;
  servers?: ServerOptions;
  /** How the apps differ from those of the other faults. Called once for each installation. */
  deployment?(): Promise<AppOptions>;
  /** Causes the fault, and resolves when everything runs again. */
  cause(context: FaultContext): Promise<void>;
}

export interface AppOptions extends Pick<DeploymentOptions, 'root' | 'envOf'> {
  /** Whether its version has webhooks for events. */
  hasEvents?: boolean;
  /** Removes what was created for it. */
  remove?(): Promise<void>;
}

export interface FaultContext extends Trial {
  servers: Servers;
  /** Starts another installation on the same servers, with its own load. */
  startOther(prefix: string, jobs: number): Promise<Trial>;
  say(what: string): void;
}

/** How long services are unreachable. Longer than a lease. */
export const OUTAGE_MS = 20_000;
