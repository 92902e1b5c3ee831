import type { Incident } from "@sonde/proto/http/incidents";
import type { TFunction } from "i18next";

type Headed = Pick<Incident, "kind" | "metric" | "closedAt"> & { target: { name: string } };

/** What is, or was, wrong, in one line: `Shop API is down`. */
export function headline({ kind, metric = "", target: { name }, closedAt }: Headed, t: TFunction): string {
  const tense = closedAt === undefined ? "is" : "was";
  if (kind !== "threshold") return t(`incident.headline.${tense}.${kind}`, { name });
  return t(`incident.headline.${tense}.threshold`, { name, metric: metricName(metric, t) });
}

/** `cpu`, `memory`, or `disk:/data`. */
function metricName(metric: string, t: TFunction): string {
  const [kind, ...mountPoint] = metric.split(":");
  if (kind === "disk") return t("incident.disk", { mountPoint: mountPoint.join(":") });
  return kind === "memory" ? t("incident.memory") : t("incident.cpu");
}
