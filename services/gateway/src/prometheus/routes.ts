import { familiesOf } from "./families.ts";
import { openMetricsType, textType, writeText } from "./text.ts";
import { rawRoute } from "../route.ts";

export const prometheusRoutes = [
  rawRoute({
    method: "GET",
    path: "/api/metrics",
    who: "session",
    summary: "State and figures of all monitors and agents, for Prometheus",
    description:
      "Text format 0.0.4, or OpenMetrics 1.0 where `Accept` asks for it; at most ten seconds old. A monitor without data has no `sonde_monitor_up`. While metrics is away, uptime and phases are absent.",
    media: "text/plain",
    handle: async ({ ctx, readings, ask }) => {
      const isOpenMetrics = ctx.get("Accept").includes("application/openmetrics-text");
      const families = familiesOf(await readings(ask));
      ctx.set("Content-Type", isOpenMetrics ? openMetricsType : textType);
      ctx.body = writeText(families, isOpenMetrics);
    },
  }),
];
