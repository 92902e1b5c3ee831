import { defaultStatusConfig, type StatusConfig } from "@sonde/proto/http/status/config";
import { pageSnapshot } from "@sonde/proto/http/status/snapshot";
import { describe, expect, test } from "vitest";
import { buildPage, type PageInputs } from "./snapshot.ts";
import { displayNames } from "../collect/targets.ts";

const nowMs = Date.UTC(2026, 0, 31, 12);
const config = (given: Partial<StatusConfig>): StatusConfig => ({ ...defaultStatusConfig, ...given });

/** Targets 1 to 9 exist, and their names are their ids. */
const build = (shown: StatusConfig, given: Partial<PageInputs> = {}) =>
  buildPage({
    config: shown,
    nowMs,
    names: displayNames(shown, (type, id) => (id < 10 ? `${type} ${id}` : null)),
    daysOf: () => null,
    responseTimeOf: () => 12.345,
    responseTimesOf: () => [1, null],
    incidents: [],
    maintenance: [],
    canMail: true,
    ...given,
  });

describe("a page", () => {
  test("has named groups in order, then targets without a group, and no missing targets", async () => {
    const page = await build(
      config({
        monitors: [3, 1, 2, 77],
        agents: [5, 4],
        groups: [
          { name: "Payments", monitors: [2], agents: [4] },
          { name: "Gone", monitors: [77], agents: [] },
          { name: "Empty", monitors: [], agents: [] },
        ],
      }),
    );
    const monitor = (id: number) => ({ type: "monitor", id });
    const agent = (id: number) => ({ type: "agent", id });
    expect(page.groups).toEqual([
      { name: "Payments", targets: [monitor(2), agent(4)] },
      { name: null, targets: [monitor(3), monitor(1)] },
      { name: null, targets: [agent(5)] },
    ]);
    expect(page.monitors.map(({ id }) => id)).toEqual([3, 1, 2]);
    expect(page.agents.map(({ name }) => name)).toEqual(["agent 5", "agent 4"]);
  });

  test("uses display names, separately for a monitor and an agent with the same id", async () => {
    const names = [{ type: "agent" as const, id: 1, name: "A server" }];
    const page = await build(config({ monitors: [1], agents: [1], names }));
    expect([page.monitors[0]?.name, page.agents[0]?.name]).toEqual(["monitor 1", "A server"]);
  });

  test("has the uptime of a group by time, rounded down, and of other services by checks", async () => {
    const days = [{ expected: 2, seen: 2, up: 1, maintenanceMinutes: 0, pausedMinutes: 0 }];
    const daysOf = () => ({ firstDay: Math.floor(nowMs / 86_400_000), days });
    const groupUptimeOf = (id: number) => (id === 1 ? 99.999_99 : null);
    const page = await build(config({ monitors: [1, 2] }), { daysOf, groupUptimeOf });
    expect(page.monitors.map(({ uptime }) => uptime)).toEqual([99.999, 50]);
    expect(page.monitors.map(({ days: all }) => all.at(-1)?.uptime)).toEqual([50, 50]);
  });

  test("has the members of a group only if it shows them", async () => {
    const membersOf = (id: number, shown: readonly number[]) => (id === 1 ? shown.filter((one) => one > 2) : []);
    const page = await build(config({ monitors: [1, 2, 3] }), { membersOf });
    expect(page.monitors.map(({ members }) => members)).toEqual([[3], undefined, undefined]);
  });

  test("has response times only if enabled", async () => {
    const [shown] = (await build(config({ monitors: [1] }))).monitors;
    expect(shown).toMatchObject({ responseTime: 12.3, responseTimes: [1, null] });
    const [hidden] = (await build(config({ monitors: [1], showResponseTimes: false }))).monitors;
    expect(hidden).toEqual({ id: 1, name: "monitor 1", uptime: null, coverage: null, days: [] });
  });

  test.each([
    ["without a channel", { enabled: true, channelId: null }, true, false],
    ["without a base address of links", { enabled: true, channelId: 3 }, false, false],
    ["while disabled", { enabled: false, channelId: 3 }, true, false],
    ["if fully configured", { enabled: true, channelId: 3 }, true, true],
  ])("allows subscriptions %s: %o", async (_name, subscriptions, canMail, expected) => {
    const { page } = await build(config({ subscriptions }), { canMail });
    expect(page.subscribable).toBe(expected);
  });

  test("has what gateways read, and nothing else of its configuration", async () => {
    const days = [{ expected: 2, seen: 2, up: 1, maintenanceMinutes: 0, pausedMinutes: 0 }];
    const firstDay = Math.floor(nowMs / 86_400_000);
    const shown = config({ monitors: [1], agents: [2], subscriptions: { enabled: true, channelId: 42 } });
    const page = await build(shown, { daysOf: () => ({ firstDay, days }) });
    const text = JSON.stringify({ revision: 1, ...page });
    const read = JSON.parse(text) as unknown;
    expect(pageSnapshot.strict().parse(read)).toEqual(read);
    expect(text).not.toContain("42");
    expect(read).toMatchObject({ monitors: [{ uptime: 50, coverage: 100 }], builtAtMs: nowMs });
  });
});
