import { defaultStatusConfig, maxTargets } from "@sonde/proto/http/status/config";
import { beforeEach, describe, expect, it } from "vitest";
import { setCurrentLanguage } from "../../../app/i18n.ts";
import { statusConfig } from "../../../testing/status-page.ts";
import { changedFields, checkValues, pathOf, readInput, toValues } from "./form-values.ts";

const values = toValues(statusConfig);
beforeEach(() => setCurrentLanguage("en-US"));

describe("the form's values", () => {
  it("convert back to the same configuration", () => {
    expect(readInput(values)).toEqual(statusConfig);
    expect(readInput(toValues(defaultStatusConfig))).toEqual(defaultStatusConfig);
  });

  it("list targets in groups first, in the order of the groups", () => {
    const config = { ...statusConfig, groups: [{ name: "Website", monitors: [9, 7], agents: [3] }] };
    expect(readInput(toValues(config))).toMatchObject({ monitors: [9, 7, 8], groups: config.groups });
  });

  it("treat an empty logo, channel and name as none, and remove trailing slashes of origins", () => {
    const typed = { ...values, logoUrl: " ", embedOrigins: "https://a.example/, https://b.example\n" };
    const monitors = values.monitors.map((each) => ({ ...each, name: each.id === 7 ? " Shop " : " " }));
    expect(readInput({ ...typed, monitors })).toMatchObject({
      logoUrl: null,
      subscriptions: { enabled: false, channelId: null },
      embedOrigins: ["https://a.example", "https://b.example"],
      names: [{ type: "monitor", id: 7, name: "Shop" }],
    });
  });
});

describe("the saved input", () => {
  it("contains only changed fields", () => {
    expect(changedFields(statusConfig, readInput({ ...values, title: "New" }))).toEqual({ title: "New" });
    expect(changedFields(statusConfig, readInput(values))).toEqual({});
  });

  it("contains services, agents, groups and names together", () => {
    const after = readInput({ ...values, agents: [] });
    expect(changedFields(statusConfig, after)).toEqual({
      monitors: [7, 8, 9],
      agents: [],
      groups: statusConfig.groups,
      names: statusConfig.names,
    });
  });
});

describe("errors of the form", () => {
  it.each([
    ["an empty title", { title: " " }, "title", "Title is required"],
    ["a logo that is not a URL", { logoUrl: "logo.png" }, "logoUrl", "Enter an http or https address"],
    [
      "a named colour",
      { theme: { mode: "auto", accent: "blue" } as const },
      "theme.accent",
      "Enter a color such as #2563eb",
    ],
    [
      "an origin with a path",
      { embedOrigins: "https://a.example\nhttps://b.example/x" },
      "embedOrigins",
      "https://b.example/x: Enter an origin such as https://example.com, without a path",
    ],
    ["a group without a name", { groups: [{ key: "n", name: "" }] }, "groups.0.name", "Name is required"],
  ])("are shown for %s next to its field", (_what, change, path, text) => {
    expect(checkValues({ ...values, ...change })).toEqual([{ path, text }]);
  });

  it("include too many targets", () => {
    const monitors = Array.from({ length: maxTargets }, (_, id) => ({ id: id + 1, name: "", group: null }));
    expect(checkValues({ ...values, monitors })).toEqual([
      { path: "monitors.root", text: `Too many entries (maximum ${maxTargets})` },
    ]);
  });

  it.each([
    ["names.0.name", "monitors.1.name"],
    ["names.9.name", "monitors.root"],
    ["monitors.2", "monitors.root"],
    ["agents", "agents.root"],
    ["groups.0.monitors.1", "groups.root"],
    ["theme.accent", "theme.accent"],
    ["subscriptions.channelId", "subscriptions.channelId"],
    ["nonsense", null],
  ])("map the server's %s to %s", (path, field) => {
    expect(pathOf(path, values)).toBe(field);
  });
});
