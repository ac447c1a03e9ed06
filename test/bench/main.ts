import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.js';
import { collectFacts } from './facts.js';
import { type Measurement, measureSystem } from './measure-system.js';
import { type Options, readOptions } from './options.js';
import { CONNECTIONS } from './peers/http.js';
import { report } from './report.js';
import type { Results } from './results.js';
import { measureScaled, type Scaled, scaledTable } from './scale.js';
import { type Services, startServices } from './services.js';
import type { System } from './system.js';
import { bareHttp } from './systems/express.js';
import { systems } from './systems/index.js';

/** The folder above the compiled files. */
const here = fileURLToPath(new URL('../', import.meta.url));
const say = (what: string) => void process.stderr.write(`${what}\n`);

/** `npm run bench`. Resolves with the exit code when every process that it started has ended. */
export async function bench(argv: string[]): Promise<number> {
  const options = readOptions(argv);
  say('starting Postgres and Redis');
  const services = await startServices();
  // The processes of the systems end when this one ends.
  const interrupt = () => void services.stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);
  try {
    if (options.processes.length > 0) {
      console.log(await measureProcesses(services, options));
      return 0;
    }
    const loadLimit = await checkLoad(services);
    const results: Map<System, Measurement[]> = new Map();
    for (let round = 1; round <= options.rounds; round++) {
      for (const system of systems.filter(({ name }) => options.systems.includes(name))) {
        const progress = (what: string) => say(`round ${round}/${options.rounds}  ${system.name.padEnd(16)} ${what}`);
        const turn = await measureSystem(system, services, options, round === 1, progress).catch((error) => {
          throw new Error(`${system.name}, round ${round}`, { cause: error });
        });
        results.set(system, [...(results.get(system) ?? []), turn]);
      }
    }
    const tables = report(results, collectFacts(services, loadLimit), options);
    console.log(tables);
    if (options.writesResults) writeResults(tables, results);
    return 0;
  } finally {
    await services.stop();
  }
}

/** Measures Jobline with each number of processes. Returns a table. */
async function measureProcesses(services: Services, { processes, rounds, sizes }: Options): Promise<string> {
  const results: Scaled[] = [];
  for (let round = 1; round <= rounds; round++) {
    for (const count of processes) {
      say(`round ${round}/${rounds}  ${count} APIs, ${count} workers`);
      results.push(...(await measureScaled(services, { count, sizes })));
    }
  }
  return scaledTable(results);
}

/** Adds the analysis, which is written by hand, to the tables. */
function writeResults(tables: string, results: Results): void {
  const analysis = readFileSync(`${here}analysis.md`, 'utf8').trim();
  const note = '`npm run bench` writes the tables; the last two sections are written by hand.';
  const head = `# Results\n\n${note}\n\n![Jobline relative to its peers](results.svg)`;
  writeFileSync(`${here}RESULTS.md`, `${head}\n\n${tables}\n\n${analysis}\n`);
  writeFileSync(`${here}results.svg`, chart(results));
}

/** Returns the limit of the load generator against a bare server, in requests per second. */
async function checkLoad(services: Services): Promise<number> {
  const running = await bareHttp.start(services);
  try {
    await running.submitter.call('singly', 20_000, CONNECTIONS);
    const count = 40_000;
    const { startedAt, endedAt } = await running.submitter.call('singly', count, CONNECTIONS);
    const perSecond = (count * 1_000) / (endedAt - startedAt);
    say(`the load generator reaches ${Math.round(perSecond)}/s against a bare node:http server`);
    return perSecond;
  } finally {
    await running.stop();
  }
}
