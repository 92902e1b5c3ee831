import type { TargetRef } from "@sonde/proto/http/monitors/targets";
import { fromBinary } from "@bufbuild/protobuf";
import { deriveKeys } from "@sonde/kit/secret-keys";
import { secretBox } from "@sonde/kit/secrets";
import { slotAtOrBefore } from "@sonde/kit/time/slots";
import { MonitorDefinitionSchema, MonitorTimelineSchema } from "@sonde/proto/gen/monitors/v1/definitions";
import { secretMask } from "@sonde/proto/http/secrets";
import { afterAll, beforeAll, describe, expect, inject, test } from "vitest";
import { eventually } from "../testing/eventually.ts";
import { inputOf, httpCheckOf } from "../testing/fields.ts";
import { openTestbed, type MonitorsTestbed } from "../testing/service.ts";

let bed: MonitorsTestbed;
beforeAll(async () => {
  bed = await openTestbed(inject("databaseUrl"));
  await bed.start();
});
afterAll(() => bed.stop());

const fields = (name: string, more: object = {}) => inputOf({ name, url: "https://example.com/health", ...more });
const add = (name: string, more: object = {}) => bed.monitors.createMonitor({ monitor: fields(name, more) });
const stored = async (bucket: "monitors" | "timelines", id: number) =>
  (await (await bed.bus.kv(bucket)).get(String(id)))?.value;
const definition = async (id: number) => {
  const value = await eventually(async () => {
    const found = await stored("monitors", id);
    expect(found).toBeDefined();
    return found as Uint8Array;
  });
  return fromBinary(MonitorDefinitionSchema, value);
};
const timeline = async (id: number) => {
  const value = await stored("timelines", id);
  return fromBinary(MonitorTimelineSchema, value ?? new Uint8Array());
};

describe("creating", () => {
  test("applies the defaults, is pending, and reaches the runners", async () => {
    const beforeMs = Date.now();
    const monitor = await add("plain");
    expect(monitor).toMatchObject({ status: "pending", stale: false });
    expect(monitor.target).toBe("https://example.com/health");
    expect(monitor).toMatchObject({ interval: 1, timeout: 10, retries: 1, paused: false });
    expect(httpCheckOf(monitor)).toMatchObject({
      method: "GET",
      expectedStatus: 200,
      followRedirects: true,
      verifyTls: true,
    });
    expect(Date.parse(monitor.nextCheckAt!)).toBeGreaterThan(beforeMs);
    const known = await definition(monitor.id);
    expect(known).toMatchObject({
      monitorId: monitor.id,
      version: 1,
      active: true,
      intervalMs: 60_000,
      locations: ["default"],
    });
    await eventually(async () => {
      const { spans } = await timeline(monitor.id);
      expect(spans).toHaveLength(1);
      expect(spans[0]).toMatchObject({ active: true, intervalMs: 60_000 });
      expect(spans[0]?.fromMs).toBe(slotAtOrBefore(monitor.id, 60_000, spans[0]?.fromMs ?? 0));
      expect(spans[0]?.fromMs).toBeLessThanOrEqual(Date.now());
    });
  });

  test("preserves whether the value of an assertion was a number", async () => {
    const given = (value: string | number) => ({
      assertions: [{ source: "json", property: "$.n", op: "equals", value }],
    });
    const { id } = await add("number", given(3));
    const value = async () => httpCheckOf(await bed.monitors.getMonitor({ id })).assertions[0]?.value;
    expect(await value()).toBe(3);
    await bed.monitors.updateMonitor({ id, patch: inputOf(given("3")) });
    expect(await value()).toBe("3");
  });

  test("rejects patterns that no runner could execute", async () => {
    const assertions = (...values: string[]) => ({
      assertions: values.map((value) => ({ source: "body", op: "matches", value })),
    });
    const refused = {
      code: "invalid",
      details: [{ path: "assertions.1.value", message: "Missing closing ): {part}", params: { part: "(a" } }],
    };
    await expect(add("pattern", assertions("^ok$", "(a"))).rejects.toMatchObject(refused);
    await expect(
      bed.monitors.testMonitor({ monitor: fields("pattern", assertions("^ok$", "(a")) }),
    ).rejects.toMatchObject(refused);
    const folds = `(?i)${"[Ā-\u{10FFFF}]".repeat(332)}`;
    await expect(
      bed.monitors.testMonitor({ monitor: fields("pattern", assertions(...Array.from({ length: 20 }, () => folds))) }),
    ).rejects.toMatchObject({
      code: "invalid",
      details: [{ path: "assertions.0.value", message: "The regular expression is too large" }],
    });
    const { id } = await add("pattern", assertions("^ok$"));
    await expect(bed.monitors.updateMonitor({ id, patch: inputOf(assertions("^ok$", "(a")) })).rejects.toMatchObject(
      refused,
    );
    expect(httpCheckOf(await bed.monitors.getMonitor({ id })).assertions).toHaveLength(1);
  });

  test("reports every error that involves several fields, with its path", async () => {
    const faulty = add("faulty", { url: "http://169.254.169.254/", interval: 0.5, timeout: 20 });
    await expect(faulty).rejects.toMatchObject({
      code: "invalid",
      details: [
        { path: "url", message: "This address cannot be monitored" },
        { path: "interval", params: { min: 1 } },
      ],
    });
    await expect(add("mars", { locations: ["default", "mars"] })).rejects.toMatchObject({
      code: "impossible",
      message: "There is no location named mars",
      details: [{ path: "locations.1" }],
    });
    await expect(add("nul\0")).rejects.toMatchObject({ code: "invalid", details: [{ path: "monitor.name" }] });
    expect((await bed.monitors.listMonitors({ search: "faulty" })).total).toBe(0);
  });

  test("uses a location with a live runner, and keeps it after the runner is gone", async () => {
    const runner = await bed.serveProbes("venus", () => ({ status: "up" }));
    await eventually(async () => {
      const { locations } = await bed.monitors.listLocations({});
      expect(locations).toContainEqual(expect.objectContaining({ name: "venus", runners: 1 }));
    });
    const monitor = await add("at venus", { locations: ["venus"] });
    await eventually(async () => {
      const { locations } = await bed.monitors.listLocations({});
      expect(locations).toContainEqual(expect.objectContaining({ name: "venus", runners: 1, monitors: 1 }));
    });
    await runner.stop();
    await eventually(async () => {
      const { locations } = await bed.monitors.listLocations({});
      expect(locations.map(({ name }) => name)).toEqual(["default"]);
    });
    const renamed = await bed.monitors.updateMonitor({
      id: monitor.id,
      patch: { locations: ["venus"], name: "still" },
    });
    expect(renamed).toMatchObject({ name: "still", locations: ["venus"] });
  });
});

describe("secret headers", () => {
  const headers = (value: string) => ({
    headers: [
      { name: "Authorization", value },
      { name: "Accept", value: "*/*" },
    ],
  });

  test("are stored sealed, shown masked, and kept by their mask", async () => {
    const monitor = await add("secret", headers("Bearer canary"));
    expect(httpCheckOf(monitor).headers).toEqual([
      { name: "Authorization", value: secretMask },
      { name: "Accept", value: "*/*" },
    ]);
    const before = await definition(monitor.id);
    const [, sealed = ""] = /"sealed":"([^"]+)"/.exec(before.spec?.check ?? "") ?? [];
    expect(sealed).toMatch(/^v2\./);
    expect(before.spec?.check).not.toContain("canary");
    expect(() => secretBox(deriveKeys(Buffer.alloc(32).toString("base64"))).open(sealed, "monitor-header")).toThrow();
    const again = await bed.monitors.updateMonitor({ id: monitor.id, patch: inputOf(headers(secretMask)) });
    expect(httpCheckOf(again).headers[0]?.value).toBe(secretMask);
    // Neither the mask nor the same value entered again changes what is checked.
    await bed.monitors.updateMonitor({ id: monitor.id, patch: inputOf(headers("Bearer canary")) });
    await eventually(async () => expect((await definition(monitor.id)).revision).toBeGreaterThan(before.revision));
    expect((await definition(monitor.id)).version).toBe(1);
  });

  test("must be entered again when the origin changes, with or without headers in the input", async () => {
    const { id } = await add("moving", headers("Bearer canary"));
    const url = "https://elsewhere.example/health";
    const refused = { code: "invalid", details: [{ path: "headers.0.value" }] };
    await expect(
      bed.monitors.updateMonitor({ id, patch: inputOf({ url, ...headers(secretMask) }) }),
    ).rejects.toMatchObject(refused);
    await expect(bed.monitors.updateMonitor({ id, patch: inputOf({ url }) })).rejects.toMatchObject(refused);
    const tried = { monitorId: id, monitor: fields("moving", { url, ...headers(secretMask) }) };
    await expect(bed.monitors.testMonitor(tried)).rejects.toMatchObject(refused);
    const moved = await bed.monitors.updateMonitor({ id, patch: inputOf({ url, ...headers("Bearer other") }) });
    expect(moved.target).toBe(url);
    const samePlace = await bed.monitors.updateMonitor({
      id,
      patch: inputOf({ url: "https://elsewhere.example/other" }),
    });
    expect(samePlace.target).toBe("https://elsewhere.example/other");
  });

  test("cannot be kept by a mask if none is stored", async () => {
    await expect(add("none", headers(secretMask))).rejects.toMatchObject({
      details: [{ path: "headers.0.value", message: "No value is stored for this secret yet: please enter one" }],
    });
  });
});

describe("changing", () => {
  test("of name or tags keeps version and state", async () => {
    const { id } = await add("name");
    const { version, revision } = await definition(id);
    const renamed = await bed.monitors.updateMonitor({ id, patch: { name: "new name", tags: ["a"] } });
    expect(renamed).toMatchObject({ name: "new name", tags: ["a"] });
    await eventually(async () => expect((await definition(id)).revision).toBeGreaterThan(revision));
    expect((await definition(id)).version).toBe(version);
  });

  test("of note or dependencies keeps version and state", async () => {
    const parent = await add("parent");
    const values: TargetRef[] = [
      { type: "agent", id: 4 },
      { type: "monitor", id: parent.id },
    ];
    const { id, ...made } = await add("child", { note: "Ring twice", dependsOn: values });
    expect(made).toMatchObject({ note: "Ring twice", dependsOn: values });
    const { version } = await definition(id);
    const edited = await bed.monitors.updateMonitor({ id, patch: { note: "", dependsOn: [values[0]!] } });
    expect(edited).toMatchObject({ note: "", dependsOn: [values[0]] });
    const renamed = await bed.monitors.updateMonitor({ id, patch: { name: "other" } });
    expect(renamed).toMatchObject({ dependsOn: [values[0]] });
    expect((await definition(id)).version).toBe(version);
    const { dependencies } = await bed.incidents.listDependencies({ afterId: id - 1 });
    expect(dependencies).toMatchObject([{ targetId: id, dependsOn: [values[0]] }]);
  });

  test("rejects a dependency on itself and a note that cannot be stored", async () => {
    const { id } = await add("alone");
    const onItself = { dependsOn: [{ type: "monitor" as const, id }] };
    await expect(bed.monitors.updateMonitor({ id, patch: onItself })).rejects.toMatchObject({
      details: [{ path: "dependsOn.0", message: "It cannot depend on itself" }],
    });
    await expect(bed.monitors.updateMonitor({ id, patch: { note: "a\0b" } })).rejects.toMatchObject({
      details: [{ path: "note" }],
    });
  });

  test("of the interval shortens a default timeout, but not one that the user set", async () => {
    const short = await openTestbed(inject("databaseUrl"), { MONITOR_MIN_INTERVAL_SECONDS: "1" });
    await short.start();
    const plain = await short.monitors.createMonitor({ monitor: fields("plain") });
    const followed = await short.monitors.updateMonitor({ id: plain.id, patch: { interval: 0.1 } });
    expect(followed).toMatchObject({ interval: 0.1, timeout: 4.8 });
    const chosen = await short.monitors.createMonitor({ monitor: fields("chosen", { timeout: 20 }) });
    await expect(short.monitors.updateMonitor({ id: chosen.id, patch: { interval: 0.1 } })).rejects.toMatchObject({
      details: [{ path: "timeout" }],
    });
    await short.stop();
  });

  test("of the pause creates a version and records when slots were due", async () => {
    const { id } = await add("pausing");
    const paused = await bed.monitors.pauseMonitor({ id });
    expect(paused).toMatchObject({ status: "paused", paused: true });
    expect(paused.nextCheckAt).toBeNull();
    expect((await bed.monitors.pauseMonitor({ id })).statusSince).toBe(paused.statusSince);
    const resumed = await bed.monitors.resumeMonitor({ id });
    expect(resumed).toMatchObject({ status: "pending", paused: false });
    await eventually(async () => {
      expect(await definition(id)).toMatchObject({ version: 3, active: true });
      const { spans } = await timeline(id);
      expect(spans.map(({ active }) => active)).toEqual([true, false, true]);
      expect(spans.map(({ fromMs }) => fromMs)).toEqual(spans.map(({ fromMs }) => fromMs).sort((a, b) => a - b));
    });
  });

  test("of the pause, many times between two slots, does not grow the timeline", async () => {
    const { id } = await add("toggled", { interval: 7 * 24 * 60 });
    for (let time = 0; time < 10; time++) {
      await bed.monitors.pauseMonitor({ id });
      await bed.monitors.resumeMonitor({ id });
    }
    const { statusSince } = await bed.monitors.pauseMonitor({ id });
    await eventually(async () => {
      expect(await definition(id)).toMatchObject({ version: 22, active: false });
      const { spans, revision } = await timeline(id);
      expect(revision).toBe((await definition(id)).revision);
      expect(spans.length).toBeLessThan(5);
      expect(spans[0]).toMatchObject({ active: true });
      expect(spans.at(-1)).toMatchObject({ active: false });
      expect(spans.at(-1)?.fromMs).toBeLessThanOrEqual(Date.parse(statusSince));
    });
  });

  test("of an unknown monitor is not found", async () => {
    const missing = { code: "not_found", message: "Monitor does not exist" };
    await expect(bed.monitors.getMonitor({ id: 999_999 })).rejects.toMatchObject(missing);
    await expect(bed.monitors.getMonitor({ id: 4_000_000_000 })).rejects.toMatchObject(missing);
    await expect(bed.monitors.updateMonitor({ id: 999_999, patch: {} })).rejects.toMatchObject(missing);
    await expect(bed.monitors.deleteMonitor({ id: 999_999 })).rejects.toMatchObject(missing);
    await expect(bed.monitors.checkNow({ id: 999_999 })).rejects.toMatchObject(missing);
  });

  test("a deletion leaves a tombstone with a newer version", async () => {
    const { id } = await add("deleted");
    const { revision, version } = await definition(id);
    await bed.monitors.deleteMonitor({ id });
    await expect(bed.monitors.getMonitor({ id })).rejects.toMatchObject({ code: "not_found" });
    await eventually(async () => {
      const tombstone = await definition(id);
      expect(tombstone).toMatchObject({ deleted: true, version: version + 1 });
      expect(tombstone.revision).toBeGreaterThan(revision);
      expect(tombstone.spec).toBeUndefined();
      expect(await timeline(id)).toMatchObject({ deleted: true, spans: [] });
    });
  });
});

describe("listing", () => {
  test("searches, filters, sorts and pages in a stable order", async () => {
    for (const name of ["list b", "List a", "list c", "list c"]) await add(name, { tags: [name.slice(-1)] });
    await add("100% _real_", { url: "https://list.example/under_score" });
    const names = async (query: object) => (await bed.monitors.listMonitors(query)).monitors.map(({ name }) => name);
    expect(await names({ search: "list " })).toEqual(["List a", "list b", "list c", "list c"]);
    expect(await names({ search: "list ", sort: "-name", pageSize: 2 })).toEqual(["list c", "list c"]);
    expect(await names({ search: "list ", sort: "-name", pageSize: 2, page: 2 })).toEqual(["list b", "List a"]);
    expect(await names({ search: "list.example" })).toEqual(["100% _real_"]);
    expect((await names({ sort: "-target" }))[0]).toBe("100% _real_");
    expect(await names({ sort: "url" })).toEqual(await names({ sort: "target" }));
    expect(await names({ search: "0% _r" })).toEqual(["100% _real_"]);
    expect(await names({ search: "l_st " })).toEqual([]);
    expect(await names({ search: "list ", tag: "a" })).toEqual(["List a"]);
    expect(await names({ search: "list ", status: "up" })).toEqual([]);
    const page = await bed.monitors.listMonitors({ search: "list ", page: 9, pageSize: 2 });
    expect(page).toMatchObject({ monitors: [], total: 4 });
    const pages = await Promise.all(
      [1, 2].map((number) => bed.monitors.listMonitors({ search: "list c", page: number, pageSize: 1 })),
    );
    expect(new Set(pages.map(({ monitors }) => monitors[0]?.id)).size).toBe(2);
  });

  test("returns a large page in parts that each fit into one message, complete and in order", async () => {
    const body = "x".repeat(200_000);
    for (let number = 0; number < 8; number++) await add(`heavy ${number}`, { method: "POST", body });
    const names: string[] = [];
    let part = await bed.monitors.listMonitors({ search: "heavy", sort: "-name", pageSize: 200 });
    expect(part.total).toBe(8);
    while (part.monitors.length > 0) {
      expect(part.monitors.length).toBeLessThan(4);
      for (const monitor of part.monitors) {
        expect(httpCheckOf(monitor).body).toBe(body);
        names.push(monitor.name ?? "");
      }
      if (part.restIds.length === 0) break;
      part = await bed.monitors.listMonitors({ ids: part.restIds, pageSize: 200 });
    }
    expect(names).toEqual([7, 6, 5, 4, 3, 2, 1, 0].map((number) => `heavy ${number}`));
    const compact = await bed.monitors.listMonitors({ search: "heavy", compact: true });
    expect([compact.monitors.length, compact.restIds]).toEqual([8, []]);
    const [first] = compact.monitors;
    expect(first).toMatchObject({ target: "https://example.com/health", name: "heavy 0" });
    expect(first && httpCheckOf(first)).toMatchObject({ method: "POST", headers: [], assertions: [] });
    expect(first && httpCheckOf(first).body).toBeUndefined();
  });

  test("omits the texts of TCP and DNS checks from a compact page", async () => {
    const text = "x".repeat(4096);
    const checks = [
      { type: "tcp", host: "db", port: 1, send: text, expect: text },
      { type: "dns", host: "db", recordType: "TXT", expect: [text.slice(0, 1000)] },
    ];
    for (const check of checks) {
      await bed.monitors.createMonitor({ monitor: inputOf({ name: `texts of ${check.type}`, ...check }) });
    }
    const { monitors } = await bed.monitors.listMonitors({ search: "texts of", compact: true });
    expect(monitors).toMatchObject([
      { type: "dns", host: "db", recordType: "TXT" },
      { type: "tcp", host: "db", port: 1 },
    ]);
    for (const monitor of monitors) for (const name of ["send", "expect"]) expect(monitor).not.toHaveProperty(name);
  });

  test("a definition that does not fit into one bus message is rejected", async () => {
    await add("as heavy as may be", { method: "POST", body: "界".repeat(262_144) });
    await expect(add("too heavy", { method: "POST", body: "\u0001".repeat(262_144) })).rejects.toMatchObject({
      code: "too_large",
    });
  });
});
