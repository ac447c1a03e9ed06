// recharts itself loads with the first chart that is drawn.
export type { Step } from './series.js';
export { ThroughputChart, type ThroughputChartProps } from './throughput-chart.js';
export { TypeBars, type TypeBarsProps } from './type-bars.js';
