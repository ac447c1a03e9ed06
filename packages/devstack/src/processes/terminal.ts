export interface Terminal {
  say(text: string): void;
  /** Said when something is wrong. */
  complain(text: string): void;
  bold(text: string): string;
  dim(text: string): string;
  green(text: string): string;
  red(text: string): string;
}

/** Colours only where a person looks at it, and not where NO_COLOR is set. */
export function createTerminal(stream: NodeJS.WriteStream, env: NodeJS.ProcessEnv): Terminal {
  const isColoured = stream.isTTY && !env.NO_COLOR;
  const paint = (code: number) => (text: string) => (isColoured ? `\u001b[${code}m${text}\u001b[0m` : text);
  const [bold, dim, green, red, yellow] = [paint(1), paint(2), paint(32), paint(31), paint(33)];
  stream.on('error', () => undefined); // whoever read our output has gone: the work goes on
  const say = (text: string) => void stream.write(`${text}\n`);
  return { say, complain: (text) => say(yellow(text)), bold, dim, green, red };
}
