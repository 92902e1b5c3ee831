import type { Incident } from "@sonde/proto/http/incidents/incidents";
import { inboundFormats } from "@sonde/proto/http/monitors/inbound";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { admin, historyPeriod, incident, monitors, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { ok, on } from "../../../testing/server.ts";
import { chooseKind } from "../../../testing/user.ts";
import { snippets } from "./snippets.ts";

const { inbound } = monitors;
const alert = (id: string, fields: Partial<Incident>): Incident => ({
  ...incident,
  id,
  kind: "external",
  labels: {},
  ...fields,
});
const open = [
  alert("m11", { severity: "info", cause: "Certificate renewed" }),
  alert("m12", { severity: "critical", cause: "<b>High</b> error rate", link: "https://prometheus.example/graph" }),
];

let shown: Omit<typeof inbound, "status"> & { status: "up" | "down" };
beforeEach(() => {
  shown = { ...inbound, status: "down" };
  on("get", "/monitors/7", () => ok({ monitor: shown as never }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 900, buckets: [], ...historyPeriod }));
  on("get", "/monitors/7/incidents", () => ok({ incidents: open, total: 2 }));
});

async function openPage(as = admin) {
  const app = await renderScreen("/monitors/7", { as });
  await screen.findByRole("heading", { name: "Address for alerts" });
  await screen.findByRole("heading", { name: "Configuration" });
  return app;
}

describe("the page of an inbound monitor", () => {
  it("lists open alerts with severity and link, critical ones first, and never as markup", async () => {
    await openPage();
    const card = within(screen.getByRole("heading", { name: "Open alerts" }).closest("section")!);
    const rows = card.getAllByRole("listitem").map(({ textContent }) => textContent);
    expect(rows[0]).toMatch(/^Critical<b>High<\/b> error rate/);
    expect(rows[1]).toMatch(/^InfoCertificate renewed/);
    const link = card.getByRole("link", { name: "Open at the source" });
    expect(link.getAttribute("href")).toBe("https://prometheus.example/graph");
    expect(link.getAttribute("rel")).toContain("noopener");
    expect(card.getByRole("link", { name: "<b>High</b> error rate" }).getAttribute("href")).toBe("/incidents/m12");
  });

  it("says at the top which critical alert makes it down", async () => {
    await openPage();
    const panel = within(screen.getByRole("region", { name: "Down now" }));
    expect(panel.getByText("<b>High</b> error rate")).toBeTruthy();
    expect(panel.getByRole("link", { name: /View incident/ }).getAttribute("href")).toBe("/incidents/m12");
  });

  it("shows the address and what to enter in the other system, and cannot be checked", async () => {
    await openPage();
    expect(screen.getByText(inbound.inboundUrl)).toBeTruthy();
    expect(screen.getByRole("button", { name: "Copy address" })).toBeTruthy();
    const snippet = screen.getByRole("region", { name: "Alertmanager configuration" });
    expect(snippet.textContent).toContain(`url: ${inbound.inboundUrl}`);
    expect(screen.queryByRole("button", { name: "Check now" })).toBeNull();
  });

  it("keeps address and snippet from viewers", async () => {
    shown = { ...shown, inboundUrl: "••••••" };
    await openPage(viewer);
    expect(screen.queryByRole("button", { name: "Copy address" })).toBeNull();
    expect(screen.queryByRole("region", { name: "Alertmanager configuration" })).toBeNull();
  });

  it("replaces the address after a question", async () => {
    const renewed = vi.fn();
    on("post", "/monitors/7/ping-url", () => {
      renewed();
      return ok({ monitor: shown as never });
    });
    const { user } = await openPage();
    await user.click(screen.getByRole("button", { name: "Replace address" }));
    await user.click(within(screen.getByRole("dialog")).getByRole("button", { name: "Replace address" }));
    await waitFor(() => expect(renewed).toHaveBeenCalledOnce());
  });
});

it("the form has format and close time", async () => {
  let sent: unknown;
  on("post", "/monitors", async ({ request }) => {
    sent = await request.json();
    return ok({ monitor: inbound as never });
  });
  const { user } = await renderScreen("/monitors/create", { as: admin });
  await chooseKind(user, "Alerts from elsewhere");
  await user.selectOptions(screen.getByRole("combobox", { name: /^Format/ }), "Grafana");
  await user.type(screen.getByLabelText(/^Close after/), "90");
  await user.type(screen.getByLabelText(/^Name/), "Grafana");
  await user.click(screen.getByRole("button", { name: /^(Add|Create|Save)/ }));
  await waitFor(() =>
    expect(sent).toMatchObject({ type: "inbound", name: "Grafana", format: "grafana", closeAfter: 90 }),
  );
});

it.each(inboundFormats)("there is a snippet for %s with the address", (format) => {
  expect(snippets[format]("https://sonde.example/api/inbound/abc")).toContain("https://sonde.example/api/inbound/abc");
});
