import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, dashboard, incident, monitor } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const cause = { fact: "address", value: "203.0.113.7", sharing: 2, failing: 3, healthy: 12 } as const;

it("the dashboard names what incidents that began together share, once, with a link to these", async () => {
  on("get", "/dashboard", () => ok({ ...dashboard, sharedCauses: [{ ...cause, incidentIds: ["m3", "m4"] }] }));
  await renderScreen("/dashboard", { as: admin });
  const links = await screen.findAllByRole("link", {
    name: "2 of 3 failing monitors share 203.0.113.7; 12 monitors elsewhere are up",
  });
  expect(links.map((link) => link.getAttribute("href"))).toEqual(["/incidents?ids=m3,m4"]);
});

it("the page of an incident names what it shares, in the user's language", async () => {
  const sharedCause = { ...cause, fact: "certificate", value: "0a (CA)", healthy: 1, incidentIds: ["m3", "m9"] };
  on("get", "/incidents/m3", () => ok({ incident, timeline: [], channels: [], sharedCause } as never));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  await renderScreen("/incidents/m3", { as: admin, language: "zh-CN" });
  const name = "3 个故障监控项中有 2 个共用证书 0a (CA)；另有 1 个监控项正常";
  expect((await screen.findByRole("link", { name })).getAttribute("href")).toBe("/incidents?ids=m3,m9");
});
