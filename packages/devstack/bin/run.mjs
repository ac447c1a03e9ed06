import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

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

/** Runs a script with Node (or `npm`) and prints one line. The output of the command is shown only if it fails. */
export async function run(title, [script, ...args], { cwd, env = {} }) {
  const startedAt = Date.now();
  const command = script === 'npm' ? ['npm', args] : [process.execPath, [script, ...args]];
  process.stdout.write(`${title} … `);
  const child = spawn(...command, { cwd, env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const output = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => output.push(chunk));
  const [code, signal] = await untilExit(child).catch((error) => {
    throw new Failed(`${title} failed: ${error.message}.`);
  });
  if (code !== 0)
    throw new Failed(`${title} failed (${signal ?? `exit ${code}`}).\n${Buffer.concat(output).toString().trim()}`);
  console.log(`done in ${((Date.now() - startedAt) / 1_000).toFixed(1)} s`);
}

/** The arguments for Node that run npm: the npm that started this process, so that no other version takes part. */
export function npm(...args) {
  const cli = process.env.npm_execpath;
  return cli && basename(cli) === 'npm-cli.js' && existsSync(cli) ? [cli, ...args] : ['npm', ...args];
}
