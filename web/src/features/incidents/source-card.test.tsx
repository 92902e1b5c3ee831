import { screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin, incident, monitor } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

it("links an incident of an error budget to its service level", async () => {
  const slo = { ...incident, kind: "slo", metric: "3" } as const;
  on("get", "/incidents/m3", () => ok({ incident: slo, timeline: [], channels: [] } as never));
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  await renderScreen("/incidents/m3", { as: admin });
  const link = await screen.findByRole("link", { name: "Service level" });
  expect(link.getAttribute("href")).toBe("/service-levels/3");
});

it("shows what another system says about its alert, never as markup", async () => {
  const labels = { team: "shop", expr: "<img src=x onerror=alert(1)>" };
  const alert = { kind: "external", severity: "warning", link: "https://prometheus.example/graph", labels } as const;
  on("get", "/incidents/m3", () =>
    ok({ incident: { ...incident, ...alert, cause: "<b>Slow</b>" }, timeline: [], channels: [] } as never),
  );
  on("get", "/monitors/7/checks", () => ok({ checks: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  await renderScreen("/incidents/m3", { as: admin });
  const heading = await screen.findByRole("heading", { level: 2, name: "Alert" });
  const source = within(heading.closest("section") as HTMLElement);
  expect(source.getByText("Warning")).toBeTruthy();
  const valueOf = (name: string) => source.getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
  expect(valueOf("team")).toBe("shop");
  expect(valueOf("expr")).toBe(labels.expr);
  expect(document.querySelector("img")).toBeNull();
  const link = source.getByRole("link", { name: "Open at the source" });
  expect([link.getAttribute("href"), link.getAttribute("rel")]).toEqual([alert.link, "noopener noreferrer"]);
  expect(screen.getByText("<b>Slow</b>")).toBeTruthy();
});
