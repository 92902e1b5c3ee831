import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { root } from "../steps.ts";

type Panel = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string }[];
};
type Dashboard = { path: string; uid: string; panels: Panel[] };

const folder = join(root, "charts/sonde/files/dashboards");
const dashboards = await Promise.all(
  (await readdir(folder)).map(async (path) => {
    const dashboard = JSON.parse(await readFile(join(folder, path), "utf8")) as Omit<Dashboard, "path">;
    return { path, ...dashboard };
  }),
);

// Links contain the id and must work after an upgrade.
it.each(dashboards)("keeps the id of $path", ({ path, uid }) => {
  expect(`${uid}.json`).toBe(`sonde-${path}`);
});

it.each(dashboards)("places the panels of $path within the grid, without overlap", ({ panels }) => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it.each(dashboards)(
  "limits each query of $path to the selected Sonde, and names series with existing labels",
  (dashboard) => {
    const scope = dashboard.uid === "sonde-watched" ? 'job=~"$job"' : 'namespace=~"$namespace"';
    for (const { title, targets = [] } of dashboard.panels.filter(({ type }) => type !== "row")) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr, legendFormat } of targets) {
        expect(expr, title).toContain(scope);
        const [, by] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
        if (by !== undefined) expect(by.split(", "), title).toEqual(expect.arrayContaining(named));
      }
    }
  },
);
