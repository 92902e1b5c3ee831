import { toJson } from "./dashboard.ts";
import { agents } from "./dashboards/agents.ts";
import { checks } from "./dashboards/checks.ts";
import { overview } from "./dashboards/overview.ts";
import { pipeline } from "./dashboards/pipeline.ts";
import { watched } from "./dashboards/watched.ts";

/** The chart's dashboards by the names of their files. */
export const dashboards = { overview, checks, pipeline, agents, watched };

/** The chart's files of dashboards, by their paths in the repository. */
export function dashboardFiles(): [path: string, text: string][] {
  return Object.entries(dashboards).map(([name, dashboard]) => [
    `charts/sonde/files/dashboards/${name}.json`,
    toJson(dashboard),
  ]);
}
