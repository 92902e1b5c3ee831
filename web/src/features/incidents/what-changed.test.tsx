import type { WhatChanged } from "@sonde/proto/http/incidents/explanation";
import { screen, within } from "@testing-library/react";
import { userEvent } from "@testing-library/user-event";
import { beforeEach, expect, it } from "vitest";
import { admin, incident, monitor } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

beforeEach(() => {
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
});

async function open(whatChanged: WhatChanged | undefined, language: "en-US" | "zh-CN" = "en-US") {
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [], whatChanged } as never));
  await renderScreen("/incidents/m3", { as: admin, language });
  await screen.findByRole("heading", { level: 2, name: /^(?:Timeline|事件经过)$/ });
}
const card = async (name: string) =>
  within((await screen.findByRole("heading", { level: 2, name })).closest("section") as HTMLElement);

const changed: WhatChanged = {
  location: "eu1",
  lastGood: {
    at: "2026-01-02T08:59:00Z",
    addresses: ["192.0.2.1"],
    names: [],
    certificate: { serial: "01AB", issuer: "R3" },
    server: "nginx",
    status: 200,
    bodyBytes: 5120,
    bodyHash: "0000abcd",
    timings: { dns: 1, connect: 12, total: 40 },
  },
  firstBad: {
    at: "2026-01-02T09:00:00Z",
    addresses: ["192.0.2.1"],
    names: [],
    certificate: { serial: "02CD", issuer: "R3" },
    server: "nginx",
    status: 503,
    bodyBytes: 9,
    bodyHash: "0000dcba",
    timings: { dns: 1, connect: 13, total: 42 },
  },
  differences: ["status", "certificate", "bodyBytes", "bodyHash"],
  events: [
    { at: "2026-01-02T08:40:00Z", type: "edit", text: "The monitor was edited by ada", fields: ["url", "retries"] },
    { at: "2026-01-02T08:50:00Z", type: "change", text: "Deploy 7", link: "https://ci.example.com/run/7" },
  ],
};

it("shows differing facts side by side and marked, folds the others, and lists the events with their links", async () => {
  await open(changed);
  const shown = await card("What changed");
  expect(shown.getByText("from eu1")).toBeTruthy();
  const [differing] = shown.getAllByRole("table");
  const rows = within(differing as HTMLElement)
    .getAllByRole("row")
    .slice(1);
  expect(rows.map(({ textContent }) => textContent)).toEqual([
    "Status(differs)200503",
    "Certificate(differs)R3 · 01ABR3 · 02CD",
    "Body(differs)5,120 bytes9 bytes",
  ]);
  expect(within(differing as HTMLElement).getByRole("columnheader", { name: /^Last good / })).toBeTruthy();
  const others = shown.getByText("4 other facts").closest("details") as HTMLDetailsElement;
  expect(others.open).toBe(false);
  await userEvent.click(shown.getByText("4 other facts"));
  expect(others.open).toBe(true);
  const other = within(others)
    .getAllByRole("row")
    .slice(1)
    .map(({ textContent }) => textContent?.replaceAll("\u00a0", " "));
  expect(other).toEqual([
    "Addresses192.0.2.1192.0.2.1",
    "Aliases––",
    "Servernginxnginx",
    "TimingsDNS 1 ms, connect 12 ms, total 40 msDNS 1 ms, connect 13 ms, total 42 ms",
  ]);
  expect(shown.getAllByRole("listitem").map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/^The monitor was edited by ada: URL, Retries before down/),
    expect.stringMatching(/^Deploy 7/),
  ]);
  const link = shown.getByRole("link", { name: "Deploy 7" });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([
    "https://ci.example.com/run/7",
    "noopener noreferrer",
  ]);
  const headings = screen.getAllByRole("heading", { level: 2 }).map(({ textContent }) => textContent);
  expect(headings.indexOf("What changed")).toBeLessThan(headings.indexOf("Timeline"));
});

it("says that nothing differs, in Chinese", async () => {
  await open({ ...changed, differences: [], events: [] }, "zh-CN");
  const shown = await card("发生了什么变化");
  expect(shown.getByText("失败的检查与最后一次正常检查看到的内容相同。")).toBeTruthy();
  expect(shown.queryByRole("listitem")).toBeNull();
});

it("names edited fields as the form does, in Chinese", async () => {
  await open(
    { ...changed, events: [{ ...changed.events[0]!, text: "监控项已修改（ada）", fields: ["interval"] }] },
    "zh-CN",
  );
  const [item] = (await card("发生了什么变化")).getAllByRole("listitem");
  expect(item?.textContent).toMatch(/^监控项已修改（ada）：/);
  expect(item?.textContent).not.toContain("interval");
});

it("lists only the events if there is no good check to compare with", async () => {
  await open({ ...changed, lastGood: undefined });
  const shown = await card("What changed");
  expect(shown.queryByRole("table")).toBeNull();
  expect(shown.getAllByRole("listitem")).toHaveLength(2);
});

it.each([undefined, { ...changed, lastGood: undefined, events: [] }])(
  "is absent if nothing is known",
  async (known) => {
    await open(known);
    expect(screen.queryByRole("heading", { name: /^(?:What changed|…)$/ })).toBeNull();
  },
);
