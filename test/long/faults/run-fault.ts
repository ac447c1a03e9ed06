import type { Fault } from './fault.js';
import { startServers } from './servers.js';
import { type Outcome, startTrial } from './trial.js';

const MAX_PER_SECOND = 1_000;

/** Submits the jobs, causes the fault after a third of them, and checks what has become of all. */
export async function runFault(fault: Fault, jobs: number): Promise<Outcome> {
  const say = (what: string) => console.log(`${fault.name}: ${what}`);
  const servers = await startServers(fault.servers ?? {});
  const ends: (() => Promise<unknown>)[] = [servers.end];
  const defer = (end: () => Promise<unknown>) => void ends.push(end);
  const start = async (prefix: string, count: number) => {
    const { hasEvents = true, remove, ...apps } = (await fault.deployment?.()) ?? {};
    if (remove) defer(remove);
    const perSecond = Math.min(MAX_PER_SECOND, count / fault.loadSeconds);
    return startTrial({ servers, prefix, jobs: count, perSecond, hasEvents, say, defer, ...apps });
  };
  try {
    const trial = await start('jobline', jobs);
    await trial.load.until(jobs / 3);
    const from = Date.now();
    say('the fault begins');
    await fault.cause({ ...trial, servers, startOther: start, say });
    say('everything runs again');
    return await trial.finish({ from, to: Date.now() });
  } finally {
    for (const end of ends.reverse()) await end();
  }
}
