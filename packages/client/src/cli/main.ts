import { readFileSync } from 'node:fs';
import { Command } from 'commander';
import { type App, createApp, reportError } from './app.js';
import { addBulk } from './commands/bulk.js';
import { addChangeJobs } from './commands/change-jobs.js';
import { addErase } from './commands/erase.js';
import { addFiles } from './commands/files.js';
import { addJob } from './commands/job.js';
import { addKeys } from './commands/keys.js';
import { addLimits } from './commands/limits.js';
import { addListen } from './commands/listen.js';
import { addFailures, addList, addSearch, addTypes } from './commands/lists.js';
import { addLogin } from './commands/login.js';
import { addSchedules } from './commands/schedules.js';
import { addSubmit } from './commands/submit.js';
import { addWebhooks } from './commands/webhooks.js';
import { EXIT, exitCodeOf } from './exit-codes.js';

const EXAMPLE = `
Examples:
  $ jobline login
  $ jobline submit webhook --payload '{"url": "https://example.com/hook", "payload": {}}' --wait
  $ jobline bulk retry --status failed --error-code timeout

JOBLINE_URL and JOBLINE_API_KEY are the address of the API and the key. Without them, the default profile has both.
Exit codes: 0 success, 1 the job failed, 2 wrong usage, 3 rejected by the API, 4 no answer.`;

/** The command `jobline`. The files of `commands` define its commands. */
function createProgram(): { program: Command; app: App } {
  const program = new Command('jobline')
    .description('Submit, watch and repair the jobs of a Jobline installation.')
    .version(readVersion(), '--version', 'print the version')
    .option('--json', 'print JSON: one document, or one per line for streams')
    .option('--profile <name>', 'use a profile of `jobline login --profile`')
    .helpOption('-h, --help', 'show the options and an example')
    .helpCommand(false)
    .addHelpText('after', EXAMPLE)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ outputError: (text, write) => write(text.replace('\n(Did', ' (Did')) })
    .showHelpAfterError('Use --help for the options and an example.')
    .exitOverride();
  const app = createApp(process, () => program.opts());

  program.commandsGroup('Jobs:');
  for (const add of [addSubmit, addList, addJob, addChangeJobs, addBulk, addFiles]) add(program, app);
  program.commandsGroup('What happens:');
  for (const add of [addSearch, addFailures, addTypes, addListen]) add(program, app);
  program.commandsGroup('Organization:');
  for (const add of [addSchedules, addLimits, addKeys, addWebhooks, addErase]) add(program, app);
  program.commandsGroup('Connection:');
  addLogin(program, app);
  return { program, app };
}

function readVersion(): string {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')).version;
}

const { stdout, stderr } = process;
const { program, app } = createProgram();

stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  if (!app.mustFinish) process.exit(EXIT.success); // the reader needs no more, as in `jobline list --all | head`
});
stderr.on('error', () => undefined); // nothing is left to report it to
process.once('SIGINT', () => {
  stderr.write(`\n${app.atInterrupt?.() ?? ''}`);
  process.exit(EXIT.interrupted);
});

try {
  await program.parseAsync();
} catch (error) {
  reportError(app, error);
  app.exitCode = exitCodeOf(error);
}
// Connections and an unread input may be open still. What is written before this has been received after it.
stdout.write('', () => process.exit(app.exitCode));
