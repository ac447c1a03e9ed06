import { reportError } from './app.js';
import { createProgram } from './create-program.js';
import { EXIT, exitCodeOf } from './exit-codes.js';

const { stdout, stderr } = process;
const { program, app } = createProgram(process);

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
