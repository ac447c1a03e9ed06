import type { Filled, Liquid, TemplateFormat } from '@jobline/handlers/ports';

export interface LiquidLimits {
  /** Of one rendering, its parsing aside. */
  renderLimitMs: number;
}

/** What the thread of templates is asked. */
export type ToLiquid =
  | { kind: 'fill'; source: string; data: Parameters<Liquid['fill']>[2]; format: TemplateFormat }
  | { kind: 'variables'; source: string };

/** What it answers: once that it is there, then to each request, in turn. */
export type FromLiquid = { ready: true } | { value: Filled | string[] } | { fault: string };
