import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take longest, as parts of their paths. */
const LONGEST = ['/test/chaos/crash-isolation', '/test/devstack/start', '/test/noisy/'];

/** Starts the longest files first. Otherwise the other processors would be idle while the last long file runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b));
  }
}

function rank({ moduleId }: TestSpecification): number {
  const index = LONGEST.findIndex((part) => moduleId.includes(part));
  return index < 0 ? LONGEST.length : index;
}
