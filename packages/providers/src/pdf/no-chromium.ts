/** No browser can be run here. The message says what to do about it. */
export class NoChromium extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'NoChromium';
  }
}
