import type { PublicIncident } from "@sonde/proto/http/status/status";
import { defaultStatusConfig } from "@sonde/proto/http/status/config";
import { beforeEach, expect, test, vi } from "vitest";
import { putFitting } from "./values.ts";
import { displayNames } from "../collect/targets.ts";
import { buildPage } from "../compose/snapshot.ts";

const incident = (id: number, closedAt?: string): PublicIncident => ({
  id: `p${id}`,
  kind: "announced",
  targets: [],
  openedAt: "2026-01-31T12:00:00.000Z",
  closedAt,
  updates: ["newest", "older", "oldest"].map((text) => ({
    at: "2026-01-31T12:00:00.000Z",
    state: "monitoring" as const,
    text: `${text} of ${id}`,
    html: "",
  })),
  postMortem: { text: `post-mortem of ${id}`, html: "" },
});
const log = { warn: vi.fn(), error: vi.fn() };
let put: string[];
beforeEach(() => {
  vi.clearAllMocks();
  put = [];
});

const bucket = (max: number) => async (text: string) => text.length <= max && put.push(text) > 0;
const page = () =>
  buildPage({
    config: defaultStatusConfig,
    nowMs: 0,
    names: displayNames(defaultStatusConfig, () => null),
    daysOf: () => null,
    responseTimeOf: () => null,
    responseTimesOf: () => undefined,
    incidents: [
      incident(1),
      ...Array.from({ length: 30 }, (_, index) => incident(index + 2, "2026-01-31T13:00:00.000Z")),
    ],
    maintenance: [],
    canMail: false,
  });

test("puts a page that fits completely", async () => {
  await putFitting(bucket(1_000_000), await page(), log);
  expect(put).toHaveLength(1);
  expect(put[0]).toContain("oldest of 31");
  expect(log.warn).not.toHaveBeenCalled();
});

test("leaves out texts of past incidents first, except their newest update", async () => {
  await putFitting(bucket(9_000), await page(), log);
  expect(put).toHaveLength(1);
  for (const text of ["oldest of 1", "post-mortem of 1", "newest of 31"]) expect(put[0]).toContain(text);
  for (const text of ["oldest of 31", "post-mortem of 31"]) expect(put[0]).not.toContain(text);
  expect(log.warn).toHaveBeenCalledTimes(1);
});

test("then those of open ones, and old incidents", async () => {
  await putFitting(bucket(6_000), await page(), log);
  expect(put[0]).toContain("newest of 20");
  expect(put[0]).not.toContain("newest of 21");
  expect(put[0]).not.toContain("oldest of 1");
});

test("keeps the old page if a page never fits, and logs it", async () => {
  await putFitting(bucket(100), await page(), log);
  expect(put).toEqual([]);
  expect(log.error).toHaveBeenCalledTimes(1);
});
