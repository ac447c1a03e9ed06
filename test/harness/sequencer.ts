import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import { readDurations, secondsOf } from './durations.js';

/** Starts the longest files first. Otherwise the other processors would be idle while the last long file runs. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const durations = readDurations();
    const of = ({ moduleId }: TestSpecification) => secondsOf(durations, relative(this.ctx.config.root, moduleId));
    return (await super.sort(files)).sort((a, b) => of(b) - of(a));
  }
}
