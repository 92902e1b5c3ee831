// All that draws by nivo, in one file of the build, which is loaded when the first chart is.
export { MetricsChart } from "./metrics-chart.tsx";
export { PhasesChart } from "./phases-chart.tsx";
export { ResponseChart } from "./response-chart.tsx";
