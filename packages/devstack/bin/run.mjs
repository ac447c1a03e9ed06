import { spawn } from 'node:child_process';

/** An error that the user can act on. Only its message is shown. */
export class Failed extends Error {}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Resolves with the exit code and the signal of a child. Signals to this process are passed on to the child meanwhile.
 */
export async function untilExit(child) {
  const forward = (signal) => child.kill(signal);
  for (const signal of SIGNALS) process.on(signal, forward);
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (...exit) => resolve(exit));
    });
  } finally {
    for (const signal of SIGNALS) process.off(signal, forward);
  }
}

/**
 * Runs a script with Node (or `npm`) and prints one line. The output of the command is shown only if it fails.
 * With `isQuietBelowMs` the line is printed only if the command takes longer.
 */
export async function run(title, [script, ...args], { cwd, env = {}, isQuietBelowMs = 0 }) {
  const startedAt = Date.now();
  const command = script === 'npm' ? ['npm', args] : [process.execPath, [script, ...args]];
  const announce = setTimeout(() => process.stdout.write(`${title} … `), isQuietBelowMs);
  const child = spawn(...command, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  try {
    const [code, signal] = await untilExit(child);
    if (code !== 0)
      throw new Failed(`${title} failed (${signal ?? `exit ${code}`}).\n${Buffer.concat(output).toString().trim()}`);
  } catch (error) {
    throw error instanceof Failed ? error : new Failed(`${title} failed: ${error.message}.`);
  } finally {
    clearTimeout(announce);
  }
  const tookMs = Date.now() - startedAt;
  if (tookMs >= isQuietBelowMs) console.log(`done in ${(tookMs / 1_000).toFixed(1)} s`);
}
