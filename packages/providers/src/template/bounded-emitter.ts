import { type Context, type Emitter, type Liquid, toValue } from 'liquidjs';

/**
 * Makes an engine end a rendering whose output, or that of one of its captures, grows past `maxBytes`, before so much text
 * is put together. All that is written counts against the limit of memory, too: captures are kept.
 */
export function boundOutput({ renderer }: Liquid, maxBytes: number): void {
  const renderTemplates = renderer.renderTemplates.bind(renderer);
  // Tags that pass no emitter make a text of their own; so does a whole rendering.
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

  /** As the engine writes a value. A list may hold the same long text many times. */
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
    return new Error(`output limit exceeded: a text may have ${maxBytes} bytes`);
  }
}
