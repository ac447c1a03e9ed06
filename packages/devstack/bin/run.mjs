import { spawn } from 'node:child_process';

/** Something a person can act on: its message alone is shown. */
export class Failed extends Error {}

/**
 * Runs a command quietly with one line of progress; its output is shown only if it fails. A signal sent to this process
 * ends the command too.
 */
export async function run(title, command, args, { cwd, env = {} }) {
  const startedAt = Date.now();
  process.stdout.write(`${title} … `);
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  child.stdout.on('data', (chunk) => output.push(chunk));
  child.stderr.on('data', (chunk) => output.push(chunk));
  const forward = (signal) => child.kill(signal);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.once(signal, forward);
  try {
    const [code, signal] = await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...ended) => resolve(ended));
    });
    if (code !== 0)
      throw new Failed(`failed (${signal ?? `exit ${code}`}).\n${Buffer.concat(output).toString().trim()}`);
  } catch (error) {
    throw error instanceof Failed ? error : new Failed(`failed: ${error.message}.`);
  } finally {
    for (const signal of signals) process.off(signal, forward);
  }
  console.log(`done in ${((Date.now() - startedAt) / 1000).toFixed(1)} s`);
}
