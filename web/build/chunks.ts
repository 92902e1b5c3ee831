import { join } from "node:path";
import { fileURLToPath } from "node:url";

type Graph = { getModuleInfo(id: string): { importedIds: readonly string[] } | null };

const source = fileURLToPath(new URL("../src/", import.meta.url));
/**
 * Chunks shared by several screens, and the screens that decide what is in each. A module belongs to the first chunk
 * that needs it.
 */
const files = {
  base: ["main.tsx", "features/dashboard/dashboard-screen.tsx"],
  monitors: [
    "features/monitors/pause.tsx",
    "entities/managed/managed-badge.tsx",
    "lists/params.ts",
    "ui/inputs.tsx",
    "app/mutations.ts",
  ],
  lists: ["features/monitors/list/list-screen.tsx"],
  pages: ["features/monitors/detail/detail-screen.tsx"],
  more: ["features/palette/palette.tsx", "features/palette/shortcut-sheet.tsx", "features/monitors/detail/below.tsx"],
  reasons: ["../../proto/http/reasons/reasons.ts"],
  tables: [
    "features/agents/list/list-screen.tsx",
    "features/incidents/list-screen.tsx",
    "features/notifications/templates/templates-screen.tsx",
  ],
  incidents: ["features/incidents/detail-screen.tsx"],
  fields: ["features/auth/login-screen.tsx"],
  forms: ["features/users/profile-screen.tsx"],
  alerting: [
    "features/notifications/channels/channels-screen.tsx",
    "features/notifications/settings/own-screen.tsx",
    "features/notifications/deliveries/deliveries-screen.tsx",
    "features/notifications/templates/template-screen.tsx",
  ],
  public: ["status-page/main.ts"],
  status: ["features/status/page/page-tab.tsx", "features/status/announcements/announcements-tab.tsx"],
};

function withImports(id: string, graph: Graph, found: Set<string>): Set<string> {
  if (found.has(id)) return found;
  found.add(id);
  for (const each of graph.getModuleInfo(id)?.importedIds ?? []) withImports(each, graph, found);
  return found;
}

/**
 * Returns the chunk of a module that several screens share. One chunk costs less than twenty small ones, in requests
 * and in bytes. `null` keeps the bundler's default: a chunk per group of modules with the same importers.
 */
export function sharedFile(): (id: string, graph: Graph) => string | null {
  let known: [string, Set<string>][] | undefined;
  return (id, graph) => {
    known ??= Object.entries(files).map(([name, screens]) => {
      const found = new Set<string>();
      for (const screen of screens) withImports(join(source, screen), graph, found);
      return [name, found];
    });
    return known.find(([, found]) => found.has(id))?.[0] ?? null;
  };
}
