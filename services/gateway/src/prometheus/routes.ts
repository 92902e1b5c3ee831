import { openMetricsEnd, openMetricsType, textType } from "./text.ts";
import { rawRoute } from "../route.ts";

export const prometheusRoutes = [
  rawRoute("GET /api/metrics", "session", {
    summary: "Metrics of all monitors and agents for Prometheus",
    description:
      "Text format 0.0.4, or OpenMetrics 1.0 if `Accept` requests it. Values are at most 10 seconds old. Monitors without data have no `sonde_monitor_up`. While the metrics service is unavailable, uptime and phases are missing.",
    media: "text/plain",
    handle: async ({ ctx, scrape, ask }) => {
      const isOpenMetrics = ctx.get("Accept").includes("application/openmetrics-text");
      const text = await scrape(ask);
      // Can be megabytes of repetitive lines.
      ctx.compress = { gzip: { level: 1 } };
      ctx.set("Content-Type", isOpenMetrics ? openMetricsType : textType);
      ctx.body = isOpenMetrics ? text + openMetricsEnd : text;
    },
  }),
];
