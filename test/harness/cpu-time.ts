/**
 * CPU time in ms that this process used while the step ran, all threads together. Unlike elapsed time it hardly depends on
 * what else the machine does, so a test may bound what a step costs. Work of other processes is not counted.
 */
export async function cpuTimeOf(step: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await step();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
