import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { chart } from './chart.js';
import { collectFacts } from './facts.js';
import { readOptions } from './options.js';
import { CONNECTIONS } from './peers/http.js';
import { report } from './report.js';
import type { Results } from './results.js';
import { type Services, startServices } from './services.js';
import type { System } from './system.js';
import { bareHttp } from './systems/express.js';
import { systems } from './systems/index.js';
import { type Turn, takeTurn } from './turn.js';

/** Beside the compiled files. */
const here = fileURLToPath(new URL('../', import.meta.url));
const say = (what: string) => void process.stderr.write(`${what}\n`);

/** `npm run bench`. Resolves with the exit code once everything that was started has ended. */
export async function bench(argv: string[]): Promise<number> {
  const options = readOptions(argv);
  say('starting Postgres and Redis');
  const services = await startServices();
  // Processes of systems end by themselves with this one.
  const interrupt = () => void services.stop().finally(() => process.exit(130));
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, interrupt);
  try {
    const loadLimit = await checkLoad(services);
    const results: Map<System, Turn[]> = new Map();
    for (let round = 1; round <= options.rounds; round++) {
      for (const system of systems.filter(({ name }) => options.systems.includes(name))) {
        const tell = (what: string) => say(`round ${round}/${options.rounds}  ${system.name.padEnd(16)} ${what}`);
        const turn = await takeTurn(system, services, options, round === 1, tell).catch((error) => {
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

/** What a person has written about it is kept in a file of its own. */
function writeResults(tables: string, results: Results): void {
  const why = readFileSync(`${here}what-made-it-fast.md`, 'utf8').trim();
  const who = 'The tables are written by `npm run bench`; the last two sections by hand.';
  const head = `# Results\n\n${who}\n\n![Jobline relative to its peers](results.svg)`;
  writeFileSync(`${here}RESULTS.md`, `${head}\n\n${tables}\n\n${why}\n`);
  writeFileSync(`${here}results.svg`, chart(results));
}

/** What the load generator reaches where nothing holds it up, in requests a second. */
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
