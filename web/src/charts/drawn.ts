// Everything that uses nivo, in one chunk that is loaded with the first chart.
export { MetricsChart } from "./metrics-chart.tsx";
export { PhasesChart } from "./phases-chart.tsx";
export { ResponseChart } from "./response-chart.tsx";
