import { silentLog } from "@sonde/kit/service/log";
import type { ConfigPlan } from "@sonde/proto/http/config/apply";
import { fakeClock } from "@sonde/kit/time/clock";
import { afterEach, expect, it, vi } from "vitest";
import { maxObjects, startDiscovery } from "./discovery.ts";
import type { OwnedMonitors } from "./plan.ts";
import { SondeRefusal } from "./sonde.ts";
import type { ClusterKind, ClusterObject } from "./translate.ts";

const [startMs, hourMs] = [Date.UTC(2026, 10, 26, 12, 0, 30), 3_600_000];
const noPlan: ConfigPlan = { create: [], update: [], remove: [], same: [], conflicts: [] };
const stopping: { stop(): unknown }[] = [];
afterEach(async () => void (await Promise.all(stopping.splice(0).map((one) => one.stop()))));

const ingress = (name: string, annotations: Record<string, string> = {}): ClusterObject => ({
  metadata: { namespace: "shop", name, annotations: { "sonde.dev/monitor": "true", ...annotations } },
  spec: { rules: [{ host: `${name}.example.com` }] },
});
const entry = (name: string) => ({ name: `shop/${name}`, url: `http://${name}.example.com/` });

function scene() {
  const clock = fakeClock(startMs);
  const seen: { listed: boolean; absent: Set<ClusterKind>; objects: ClusterObject[] } = {
    listed: true,
    absent: new Set(),
    objects: [],
  };
  let owned: OwnedMonitors = new Map();
  const refuse = vi.fn<(monitors: OwnedMonitors) => SondeRefusal | undefined>();
  const applied: { monitors: Record<string, unknown>; allowDelete: number }[] = [];
  const warnings: object[] = [];
  const log = {
    ...silentLog,
    info: () => {},
    warn: (fields: object) => void warnings.push(fields),
  } as typeof silentLog;
  const sonde = {
    readOwned: vi.fn(async () => owned),
    async apply(monitors: OwnedMonitors, allowDelete: number) {
      const refusal = refuse(monitors);
      if (refusal !== undefined) throw refusal;
      owned = monitors;
      applied.push({ monitors: Object.fromEntries(monitors), allowDelete });
      return noPlan;
    },
  };
  const cluster = {
    isListed: () => seen.listed,
    absent: () => seen.absent,
    objects: () => seen.objects.map((object) => ({ kind: "Ingress" as const, object })),
  };
  const settle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  const start = () => {
    const discovery = startDiscovery({ name: "main", cluster, sonde, clock, log });
    stopping.push(discovery);
    return {
      ...discovery,
      async pass(durationMs: number) {
        clock.advance(durationMs);
        await settle();
      },
      async change(...objects: ClusterObject[]) {
        seen.objects = objects;
        discovery.changed();
        clock.advance(2_000);
        await settle();
      },
    };
  };
  return { start, seen, sonde, refuse, applied, warnings, owned: () => Object.fromEntries(owned) };
}

it("applies the cluster's monitors, and nothing if they have not changed", async () => {
  const { start, applied } = scene();
  const process = start();
  await process.change(ingress("web"));
  expect(applied).toEqual([
    { monitors: { "main.ingress.shop.web": { place: "Ingress shop/web", entry: entry("web") } }, allowDelete: 0 },
  ]);
  expect(process.isApplied()).toBe(true);
  await process.change(ingress("web"));
  expect(applied).toHaveLength(1);
  await process.pass(601_000);
  expect(applied).toHaveLength(2);
});

it("pauses the monitor of a removed object, and deletes it after a day, even with restarts", async () => {
  const { start, applied, owned } = scene();
  const first = start();
  await first.change(ingress("web", { "sonde.dev/notify": "ops" }), ingress("api"));
  await first.change(ingress("api"));
  const gone = {
    place: "Ingress shop/web, gone since 2026-11-26T12:00Z",
    entry: { ...entry("web"), paused: true },
  };
  expect(owned()).toMatchObject({ "main.ingress.shop.web": gone });
  await first.stop();
  const second = start();
  await second.change(ingress("api"));
  await second.pass(23 * hourMs);
  expect(owned()["main.ingress.shop.web"]).toEqual(gone);
  await second.pass(hourMs);
  await second.pass(601_000);
  expect(Object.keys(owned())).toEqual(["main.ingress.shop.api"]);
  expect(applied.filter(({ allowDelete }) => allowDelete > 0)).toEqual([expect.objectContaining({ allowDelete: 1 })]);
});

it("resumes the monitor of a restored object", async () => {
  const { start, owned } = scene();
  const process = start();
  await process.change(ingress("web"));
  await process.change();
  await process.change(ingress("web"));
  expect(owned()).toEqual({ "main.ingress.shop.web": { place: "Ingress shop/web", entry: entry("web") } });
});

it("does not consider objects removed that could not be listed", async () => {
  const { start, seen, owned, applied } = scene();
  const first = start();
  await first.change(ingress("web"));
  await first.stop();
  seen.listed = false;
  const second = start();
  await second.change();
  expect(applied).toHaveLength(1);
  seen.listed = true;
  seen.absent.add("Ingress");
  await second.change();
  expect(owned()["main.ingress.shop.web"]).toMatchObject({ place: "Ingress shop/web", entry: entry("web") });
});

it("keeps the monitor of an object with invalid annotations, logs the error once, and applies the rest", async () => {
  const { start, owned, warnings } = scene();
  const process = start();
  await process.change(ingress("web"));
  const wrong = ingress("web", { "sonde.dev/interval": "often" });
  await process.change(wrong, ingress("api"));
  await process.change(wrong, ingress("api"), ingress("db"));
  expect(Object.keys(owned()).toSorted()).toEqual(["api", "db", "web"].map((name) => `main.ingress.shop.${name}`));
  expect(owned()["main.ingress.shop.web"]).toMatchObject({ entry: entry("web") });
  expect(warnings).toEqual([expect.objectContaining({ object: "Ingress shop/web" })]);
});

it("skips monitors that Sonde rejects, and applies the rest", async () => {
  const { start, owned, refuse, warnings, sonde } = scene();
  refuse.mockImplementation((monitors) =>
    JSON.stringify([...monitors]).includes("nowhere")
      ? new SondeRefusal(400, {
          message: "The request is not valid",
          errors: [
            { path: "monitors.main.ingress.shop.web.v1.notify.channels.0", message: "There is no such channel" },
          ],
        })
      : undefined,
  );
  const process = start();
  await process.change(ingress("web.v1", { "sonde.dev/notify": "nowhere" }), ingress("web"));
  expect(Object.keys(owned())).toEqual(["main.ingress.shop.web"]);
  expect(warnings).toEqual([
    expect.objectContaining({ object: "Ingress shop/web.v1", reason: "notify.channels.0: There is no such channel" }),
  ]);
  await process.change(ingress("web.v1"), ingress("web"));
  expect(Object.keys(owned())).toHaveLength(2);
  expect(sonde.readOwned).toHaveBeenCalledTimes(2);
});

it("retries with a growing delay while Sonde is unavailable", async () => {
  const { start, refuse, sonde, applied } = scene();
  refuse.mockReturnValue(new SondeRefusal(503, { message: "away" }));
  const process = start();
  await process.change(ingress("web"));
  expect(process.isApplied()).toBe(false);
  await process.change(ingress("web"), ingress("api"));
  expect(sonde.readOwned).toHaveBeenCalledTimes(1);
  await process.pass(6_000);
  await process.pass(6_000);
  expect(sonde.readOwned).toHaveBeenCalledTimes(2);
  refuse.mockReturnValue(undefined);
  await process.pass(6_000);
  expect(applied).toHaveLength(1);
  expect(Object.keys(applied[0]!.monitors)).toHaveLength(2);
});

it("limits the number of objects, and prefers those with a monitor", async () => {
  const { start, owned, warnings } = scene();
  const process = start();
  await process.change(ingress("web"));
  const many = Array.from({ length: maxObjects }, (_, at) => ingress(`a${at}`));
  await process.change(...many, ingress("web"));
  expect(Object.keys(owned())).toHaveLength(maxObjects);
  expect(owned()).toHaveProperty(["main.ingress.shop.web"]);
  expect(warnings).toEqual([{ objects: maxObjects + 1 }]);
});

it("does not manage a released monitor", async () => {
  const { start, owned, refuse, warnings } = scene();
  refuse.mockImplementation((monitors) => {
    if (!monitors.has("main.ingress.shop.web")) return undefined;
    const message = "shop/web already exists and no source manages it";
    const errors = ["", ".notify"].map((field) => ({ path: `monitors.main.ingress.shop.web${field}`, message }));
    return new SondeRefusal(409, { message: "The document conflicts with the current configuration", errors });
  });
  const process = start();
  await process.change(ingress("web"), ingress("api"));
  expect(Object.keys(owned())).toEqual(["main.ingress.shop.api"]);
  expect(warnings).toEqual([
    { object: "Ingress shop/web", reason: "shop/web already exists and no source manages it" },
  ]);
});
