import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../architecture/sources.js';
import { until } from '../harness/index.js';

/** The command of the client, as its users run it: a process. */
export interface Command {
  stdout(): string;
  stderr(): string;
  /** Writes to its standard input, or types on its terminal. */
  type(text: string): void;
  closeInput(): void;
  /** Resolves when the standard output contains the text. */
  shows(text: string): Promise<void>;
  /** Closes the end of the pipe that the command writes to. */
  stopReading(): void;
  kill(signal: NodeJS.Signals): void;
  /** The exit code or the signal. */
  ended: Promise<number | NodeJS.Signals>;
}

export interface Ended {
  code: number | NodeJS.Signals;
  stdout: string;
  stderr: string;
}

export interface CommandOptions {
  env?: Record<string, string>;
  /** The whole standard input. */
  input?: string;
}

export const JOBLINE = join(ROOT, 'packages/client/bin/jobline.mjs');

/** A terminal of 100 columns, in which the command is the process in front. */
const TERMINAL = `
import os, pty, sys
status = pty.spawn(['sh', '-c', 'stty cols 100 rows 40 && exec "$@"', 'sh'] + sys.argv[1:])
sys.exit(os.waitstatus_to_exitcode(status))`;

/** Both outputs and the input are pipes. */
export function startPiped(args: readonly string[], env: Record<string, string> = {}): Command {
  return start(process.execPath, [JOBLINE, ...args], env);
}

/** Outputs and input are one terminal, so `stdout` has both outputs. */
export function startInTerminal(args: readonly string[], env: Record<string, string> = {}): Command {
  return start('python3', ['-c', TERMINAL, process.execPath, JOBLINE, ...args], { TERM: 'xterm', ...env });
}

export async function runPiped(args: readonly string[], { env, input = '' }: CommandOptions = {}): Promise<Ended> {
  const command = startPiped(args, env);
  command.type(input);
  command.closeInput();
  return endOf(command);
}

export function runInTerminal(args: readonly string[], env?: Record<string, string>): Promise<Ended> {
  return endOf(startInTerminal(args, env));
}

async function endOf(command: Command): Promise<Ended> {
  const code = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}

function start(program: string, args: readonly string[], env: Record<string, string>): Command {
  const child = spawn(program, args, {
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  const read = (stream: ChildProcessWithoutNullStreams['stdout']) => {
    let text = '';
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    return () => text;
  };
  const [stdout, stderr] = [read(child.stdout), read(child.stderr)];
  // A command may end before it has read its input, which is no error of the command.
  child.stdin.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  let isOver = false;
  const ended = once(child, 'close').then(([code, signal]) => {
    isOver = true;
    return code ?? signal;
  });
  return {
    stdout,
    stderr,
    type: (text) => void child.stdin.write(text),
    closeInput: () => void child.stdin.end(),
    async shows(text) {
      await until(
        () => `the command to show ${text}: ${stdout()}${stderr()}`,
        () => {
          if (isOver && !stdout().includes(text)) throw new Error(`it has ended: ${stdout()}${stderr()}`);
          return stdout().includes(text);
        },
      );
    },
    stopReading: () => void child.stdout.destroy(),
    kill: (signal) => void child.kill(signal),
    ended,
  };
}
