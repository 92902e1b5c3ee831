import { configFault, defaultStatusConfig } from "@sonde/proto/http/status/config";
import { expect, test, vi } from "vitest";
import { readStored } from "./config.ts";

const read = (value: unknown) => {
  const log = { error: vi.fn() };
  return { config: readStored(value, log), errors: log.error.mock.calls.map(([{ field }]) => field as string) };
};

test("defaults apply without a stored configuration", () => {
  expect(read(undefined)).toEqual({ config: defaultStatusConfig, errors: [] });
  expect(read("no object")).toEqual({ config: defaultStatusConfig, errors: [] });
});

test("missing fields of an older version have defaults, and a newer version's fields are ignored", () => {
  const { config, errors } = read({
    title: "Ours",
    monitors: [1],
    theme: { mode: "dark", font: "serif" },
    groups: [{ name: "Shop", monitors: [1], collapsed: true }],
    fromTheFuture: true,
  });
  expect(config).toEqual({
    ...defaultStatusConfig,
    title: "Ours",
    monitors: [1],
    theme: { mode: "dark", accent: "#2563eb" },
    groups: [{ name: "Shop", monitors: [1], agents: [] }],
  });
  expect(errors).toEqual([]);
});

test("an unreadable setting affects no other, and is logged", () => {
  const { config, errors } = read({ title: "Ours", logoUrl: "javascript:alert(1)", monitors: "all" });
  expect(config).toEqual({ ...defaultStatusConfig, title: "Ours" });
  expect(errors).toEqual(["logoUrl", "monitors"]);
});

test("groups contain only shown targets, whatever was stored", () => {
  const groups = [
    { name: "One", monitors: [1, 9], agents: [1] },
    { name: "Two", monitors: [1, 2], agents: [] },
  ];
  const { config } = read({ monitors: [1, 2], agents: [], groups });
  expect(config.groups.map(({ monitors, agents }) => [monitors, agents])).toEqual([
    [[1], []],
    [[2], []],
  ]);
  expect(configFault(config)).toBeNull();
});
