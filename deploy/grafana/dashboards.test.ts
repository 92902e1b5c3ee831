import { expect, it } from "vitest";
import { toJson } from "./dashboard.ts";
import { dashboardFiles } from "./dashboards.ts";

type Drawn = {
  id: number;
  type: string;
  title: string;
  gridPos: { x: number; y: number; w: number; h: number };
  targets?: { expr: string; legendFormat: string; refId: string }[];
};
const parsed = dashboardFiles().map(([path, text]) => ({
  path,
  ...(JSON.parse(text) as { uid: string; panels: Drawn[] }),
}));

it("gives each dashboard an id of its own, by which links find it after an upgrade", () => {
  const names = ["overview", "checks", "pipeline", "agents", "watched"];
  expect(parsed.map(({ uid }) => uid)).toEqual(names.map((name) => `sonde-${name}`));
});

it.each(parsed)("draws the panels of $path beside and below each other, within the grid", ({ panels }) => {
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) => {
    expect(x + w).toBeLessThanOrEqual(24);
    return Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`);
  });
  expect(new Set(cells).size).toBe(cells.length);
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
});

it.each(parsed)(
  "asks in $path for one Sonde's own, and names each series by labels that the query keeps",
  ({ uid, panels }) => {
    const own = uid === "sonde-watched" ? 'job=~"$job"' : 'namespace=~"$namespace"';
    for (const { title, targets = [] } of panels.filter(({ type }) => type !== "row")) {
      expect(targets.length, title).toBeGreaterThan(0);
      for (const { expr, legendFormat } of targets) {
        expect(expr, title).toContain(own);
        const [, by] = /\bby \(([^)]*)\)/.exec(expr) ?? [];
        const named = [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)].map(([, label]) => label);
        if (by !== undefined) expect(by.split(", "), title).toEqual(expect.arrayContaining(named));
      }
    }
  },
);

it("puts three panels beside each other, and fewer over the whole width", () => {
  const panel = { title: "p", queries: [{ expr: "up", legend: "" }] };
  const rows = [
    { title: "four", panels: [panel, panel, panel, panel] },
    { title: "two", panels: [panel, panel] },
  ];
  const { panels } = JSON.parse(toJson({ uid: "u", title: "t", about: "", rows })) as { panels: Drawn[] };
  expect(panels.map(({ gridPos: { x, y, w } }) => [x, y, w])).toEqual([
    [0, 0, 24],
    [0, 1, 8],
    [8, 1, 8],
    [16, 1, 8],
    [0, 9, 8],
    [0, 17, 24],
    [0, 18, 12],
    [12, 18, 12],
  ]);
});
