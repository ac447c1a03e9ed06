import { type Context, type Emitter, type Liquid, toValue } from 'liquidjs';

/**
 * Makes an engine stop a rendering whose output, or the output of one of its captures, exceeds `maxBytes`, before the
 * text is assembled. All output also counts against the memory limit, because captures are kept.
 */
export function boundOutput({ renderer }: Liquid, maxBytes: number): void {
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  // A tag that passes no emitter creates its own text. So does a complete rendering.
  renderer.renderTemplates = (templates, ctx, emitter = createEmitter(ctx, maxBytes)) =>
    renderTemplates(templates, ctx, emitter);
}

function createEmitter({ memoryLimit }: Context, maxBytes: number): Emitter {
  let leftBytes = maxBytes;
  const emitter = {
    buffer: '',
    write(value: unknown) {
      const text = textOf(value, leftBytes);
      leftBytes -= Buffer.byteLength(text);
      if (leftBytes < 0) throw tooLong();
      memoryLimit.use(text.length);
      emitter.buffer += text;
    },
  };
  return emitter;

  /** Converts a value as the engine does. A list may contain the same long text many times. */
  function textOf(written: unknown, maxLength: number): string {
    const value: unknown = toValue(written);
    if (value === undefined || value === null) return '';
    if (!Array.isArray(value)) {
      const text = String(value);
      if (text.length > maxLength) throw tooLong();
      return text;
    }
    let text = '';
    for (const item of value) text += textOf(item, maxLength - text.length);
    return text;
  }

  function tooLong(): Error {
    return new Error(`output limit exceeded: the limit is ${maxBytes} bytes`);
  }
}

/**
 * Applies the render limit of a context to processor time as well, because a rendering may take longer than its limit
 * on a busy machine. The limit is exceeded when both the clock time and the processor time of this process exceed it.
 */
export function limitByCpu(context: Context, limitMs: number): Context {
  const { renderLimit } = context;
  const checkClock = renderLimit.check.bind(renderLimit);
  const before = process.cpuUsage();
  let nextCheckAt = performance.now() + limitMs;
  renderLimit.check = (now) => {
    if (now < nextCheckAt) return;
    const leftMs = limitMs - cpuMsSince(before);
    if (leftMs <= 0) checkClock(now);
    nextCheckAt = now + leftMs;
  };
  return context;
}

function cpuMsSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
