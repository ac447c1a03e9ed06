import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parser as promql } from '@prometheus-io/lezer-promql';
import ts from 'typescript';
import { isTest, pickNodes, workspaces } from '../architecture/sources.js';

export const DOCKER = fileURLToPath(new URL('../../docker/', import.meta.url));

/** The content of a file in `docker`. */
export function read(path: string): string {
  return readFileSync(DOCKER + path, 'utf8');
}

/** The positions at which an expression is not valid PromQL. */
export function promqlErrors(expression: string): string[] {
  const errors: string[] = [];
  promql.parse(expression).iterate({
    enter({ type, from }) {
      if (type.isError) errors.push(`at ${from}: ${expression.slice(from, from + 20)}`);
    },
  });
  return errors;
}

/** The metrics and the labels that an expression names. */
export function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  const names = { metrics: new Set<string>(), labels: new Set<string>() };
  promql.parse(expression).iterate({
    enter({ type, from, to }) {
      if (type.name === 'Identifier') names.metrics.add(expression.slice(from, to));
      if (type.name === 'LabelName') names.labels.add(expression.slice(from, to));
    },
  });
  return { metrics: [...names.metrics], labels: [...names.labels] };
}

const KINDS = ['counter', 'gauge', 'gauges', 'histogram'];

/** The metrics that the code defines, with their labels. A name that the code puts together is a pattern. */
export function definedMetrics(): { name: RegExp; labels: string[] }[] {
  const sources = workspaces().flatMap((workspace) => workspace.sources);
  return sources
    .filter(({ path }) => !isTest(path))
    .flatMap((source) =>
      pickNodes(source, (node) => {
        if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
        const [name, , ...options] = node.arguments;
        if (!KINDS.includes(node.expression.name.text) || !name) return undefined;
        if (!ts.isStringLiteralLike(name) && !ts.isTemplateExpression(name)) return undefined;
        const text = ts.isStringLiteralLike(name) ? name.text : `${name.head.text}\\w+`;
        return { name: new RegExp(`^jobline_${text}(_bucket|_sum|_count)?$`), labels: options.flatMap(labelsIn) };
      }),
    );
}

/** A list of labels, or an object that has one. */
function labelsIn(option: ts.Expression): string[] {
  if (ts.isArrayLiteralExpression(option))
    return option.elements.flatMap((label) => (ts.isStringLiteralLike(label) ? label.text : []));
  if (!ts.isObjectLiteralExpression(option)) return [];
  return option.properties.flatMap((property) => {
    const isLabels =
      ts.isPropertyAssignment(property) && ts.isIdentifier(property.name) && property.name.text === 'labels';
    return isLabels ? labelsIn(property.initializer) : [];
  });
}
