import { type PageSnapshot, pageSnapshot, type PageStates } from "@sonde/proto/http/status/snapshot";
import { statusContract } from "@sonde/proto/rpc/status";
import { parseInput } from "@sonde/kit/bus/rpc";
import { gunzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { type PageBed, openBed } from "./testing/bed.ts";
import { openFacts, type PageFacts, pageFacts } from "./collect/facts.ts";
import { inlineRenderer } from "./testing/documents.ts";
import { openPreviews, type RenderPreview } from "./preview.ts";
import type { Renderer } from "./render/renderer.ts";
import { getConfig } from "./pages/settings.ts";
import { updateConfig } from "./pages/pages.ts";

let bed: PageBed;
let facts: PageFacts;
let preview: RenderPreview;
const covered = new Set<number>();
let jobs: Parameters<Renderer["preview"]>[0][];
const maintenance = {
  at: (_type: string, id: number) => (covered.has(id) ? { fromMs: 1, toMs: 2 } : undefined),
};
beforeEach(async () => {
  covered.clear();
  jobs = [];
  bed = await openBed();
  facts = pageFacts(openFacts(bed.sources));
  const { preview: render } = inlineRenderer();
  preview = openPreviews(bed, {
    factsOf: () => facts,
    maintenance,
    renderer: { preview: (job) => (jobs.push(job), render(job)) },
  });
  for (const id of [1, 2]) {
    bed.fake.addMonitor({
      id,
      name: `monitor ${id}`,
      status: "up",
      statusSince: new Date(7).toISOString(),
      responseTime: 3,
    });
  }
});
afterEach(() => bed.db.destroy());

const look = async (input: unknown): Promise<{ page: PageSnapshot; states: PageStates; html: string }> => {
  const html = gunzipSync(
    await preview(parseInput(statusContract.methods.updateConfig.input, input), { language: "en-US" }),
  ).toString();
  const { page, states } = jobs.at(-1)!;
  return { page: pageSnapshot.strict().parse({ revision: 1, ...(JSON.parse(page) as object) }), states, html };
};

test("a preview shows the page with a change, including new targets, and saves nothing", async () => {
  await updateConfig(bed, { title: "Ours", description: "All of it", monitors: [1] });
  covered.add(2);
  const { page, states, html } = await look({ title: "Theirs", monitors: [2, 1] });
  expect(html).toContain("Theirs");
  expect(html).not.toMatch(/<script|<form/);
  expect(page.page).toMatchObject({ title: "Theirs", description: "All of it" });
  expect(page.monitors).toMatchObject([
    { id: 2, name: "monitor 2", uptime: 50, responseTime: 3 },
    { id: 1, name: "monitor 1", uptime: 50 },
  ]);
  expect(page.monitors[0]?.days).toHaveLength(90);
  expect(states.monitors).toEqual({ 1: { status: "up", sinceMs: 7 }, 2: { status: "maintenance", sinceMs: 1 } });
  expect(await getConfig(bed)).toMatchObject({ title: "Ours", monitors: [1] });
});

test("a preview rejects what could not be saved", async () => {
  await expect(look({ monitors: [1, 9] })).rejects.toMatchObject({
    code: "impossible",
    details: [{ path: "monitors.1" }],
  });
  await expect(look({ title: "" })).rejects.toMatchObject({ code: "invalid" });
});

test("a preview has no bars while metrics is unavailable", async () => {
  bed.fake.unavailableServices.add("metrics");
  const { page } = await look({ monitors: [1] });
  expect(page.monitors).toMatchObject([{ id: 1, days: [], uptime: null }]);
});

test("a preview has bars for the first hundred services", async () => {
  const monitors = Array.from({ length: 120 }, (_, index) => index + 1);
  for (const id of monitors) bed.fake.addMonitor({ id, name: `monitor ${id}`, status: "up" });
  bed.fake.addAgent({ id: 1, name: "agent", status: "online" });
  const { page } = await look({ monitors, agents: [1] });
  expect(page.monitors.filter(({ days }) => days.length === 90)).toHaveLength(100);
  expect([page.monitors.length, page.agents[0]?.days]).toEqual([120, []]);
});

test("of many concurrent previews some are rendered one after the other, and others rejected", async () => {
  const made = await Promise.allSettled(Array.from({ length: 30 }, () => look({ monitors: [1] })));
  const refused = made.filter(({ status }) => status === "rejected");
  expect(refused).toHaveLength(22);
  expect(refused[0]).toMatchObject({ reason: { code: "too_many" } });
  await look({ monitors: [1] });
});
