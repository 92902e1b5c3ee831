import { openMetricsEnd, openMetricsType, textType } from "./text.ts";
import { rawRoute } from "../route.ts";
import { kumaMetricsPath } from "../sessions/scopes.ts";

export const prometheusRoutes = [
  rawRoute("GET /api/metrics", "session", {
    summary: "Metrics of all monitors and agents for Prometheus",
    description:
      "Text format 0.0.4, or OpenMetrics 1.0 if `Accept` requests it. Values are at most 10 seconds old. Monitors without data have no `sonde_monitor_up`. While the metrics service is unavailable, uptime and phases are missing.",
    media: "text/plain",
    handle: async ({ ctx, scrape, ask }) => {
      const isOpenMetrics = ctx.get("Accept").includes("application/openmetrics-text");
      const text = await scrape("sonde", ask);
      // Can be megabytes of repetitive lines.
      ctx.compress = { gzip: { level: 1 } };
      ctx.set("Content-Type", isOpenMetrics ? openMetricsType : textType);
      ctx.body = isOpenMetrics ? text + openMetricsEnd : text;
    },
  }),
  rawRoute(`GET ${kumaMetricsPath}`, "session", {
    summary: "Metrics of all monitors in Uptime Kuma's format",
    description:
      "For programs made for Uptime Kuma, such as its integration in Home Assistant. A key with the scope `metrics` is the password of HTTP Basic authentication, with any user name.",
    media: "text/plain",
    handle: async ({ ctx, scrape, ask }) => {
      ctx.compress = { gzip: { level: 1 } };
      ctx.set("Content-Type", textType);
      ctx.body = await scrape("kuma", ask);
    },
  }),
];
