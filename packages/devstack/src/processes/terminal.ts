export interface Terminal {
  say(text: string): void;
  /** Printed only with `--verbose`. */
  detail(text: string): void;
  warn(text: string): void;
  bold(text: string): string;
  green(text: string): string;
  red(text: string): string;
}

/** Uses colors only on a terminal, and not if NO_COLOR is set. */
export function createTerminal(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv, isVerbose: boolean): Terminal {
  const hasColors = stream.isTTY && !env.NO_COLOR;
  const paint = (code: number) => (text: string) => (hasColors ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, green, red, yellow] = [paint(1), paint(32), paint(31), paint(33)];
  stream.on('error', () => undefined); // the reader of our output has gone; the work goes on
  const say = (text: string) => void stream.write(`${text}\n`);
  return { say, detail: (text) => isVerbose && say(text), warn: (text) => say(yellow(text)), bold, green, red };
}
