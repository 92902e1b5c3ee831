import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, agent, config, incident, monitor } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const starts = ["2026-01-02T09:58:00Z", "2026-01-02T09:59:00Z", "2026-01-02T10:00:00Z"];
const points = (...values: (number | null)[]) =>
  starts.map((start, i) => ({ start, avg: values[i] ?? null, max: null }));
let ranges: (string | null)[] = [];

beforeEach(() => {
  ranges = [];
  on("get", "/agents/3", () => ok({ agent: agent as never }));
  on("get", "/agents/3/metrics", ({ request }) => {
    ranges.push(new URL(request.url).searchParams.get("range"));
    return ok({
      range: "1h",
      step: 60,
      cpu: points(10, null, 30),
      memory: points(40, 41, 42),
      load: { one: points(1, 1, 1), five: points(1, 1, 1), fifteen: points(1, 1, 1) },
      disks: { "/": points(90, 90, 90) },
      inodes: { "/": points(12, 13, 14) },
      network: {
        eth0: { receiveRate: points(0, 0, 1024), sendRate: points(0, 0, 0) },
        eth1: { receiveRate: points(0, 0, 1_048_576), sendRate: points(0, 0, 0) },
      },
    });
  });
  on("get", "/incidents", ({ request }) =>
    new URL(request.url).searchParams.get("target") === "agent:3"
      ? ok({ incidents: [{ ...incident, cause: "No report for three intervals" }], total: 1 })
      : fail(400, "invalid"),
  );
});

const entry = (name: string) => {
  const card = screen.getByRole("heading", { name: "System" }).closest("section") as HTMLElement;
  return within(card).getByText(name, { selector: "dt" }).nextElementSibling?.textContent;
};

describe("the agent page", () => {
  it("reports an agent that is older than the installation", async () => {
    on("get", "/agents/3", () => ok({ agent: { ...agent, version: "0.0.9" } as never }));
    await renderScreen("/agents/3", { as: admin });
    const sentence = `0.0.9Version 0.0.9 is older than this installation (${config.version})`;
    await waitFor(() => expect(entry("Agent version")).toBe(sentence));
  });

  it("shows the machine, the latest figures, all fields of disks and interfaces, and incidents", async () => {
    const { user } = await renderScreen("/agents/3", { as: admin });
    await screen.findByRole("heading", { name: "web-1" });
    expect(entry("Hostname")).toBe("web-1.internal");
    expect(entry("IP addresses")).toBe("10.0.0.5fe80::1");
    expect(entry("Processor")).toBe("Example CPU 9000");
    expect(["Memory", "Used memory", "Free memory"].map(entry)).toEqual(["8\u00a0GiB", "2\u00a0GiB", "6\u00a0GiB"]);
    expect(entry("Report interval")).toBe("10\u00a0s");
    expect(entry("Uptime")).toBe("1 day 1 hr");
    const disks = screen.getByRole("table");
    expect(within(disks).getAllByRole("row")[1]?.textContent).toContain(
      "//dev/sda1ext4100\u00a0GiB90\u00a0GiB10\u00a0GiB90%",
    );
    await user.click(screen.getByRole("tab", { name: "Network (1)" }));
    expect(within(screen.getByRole("table")).getAllByRole("row")[1]?.textContent).toBe(
      "eth02\u00a0KiB/s–1\u00a0MiB2\u00a0MiB1,2345,678",
    );
    expect(await screen.findByText("No report for three intervals")).toBeTruthy();
  });

  it("shows whether the agent is in maintenance", async () => {
    const first = await renderScreen("/agents/3", { as: admin });
    await screen.findByRole("heading", { name: "web-1" });
    expect(screen.queryByText("In maintenance")).toBeNull();
    first.unmount();
    on("get", "/agents/3", () => ok({ agent: { ...agent, inMaintenance: true } as never }));
    await renderScreen("/agents/3", { as: admin });
    const head = (await screen.findByRole("heading", { name: "web-1" })).parentElement as HTMLElement;
    expect(within(head).getByText("In maintenance")).toBeTruthy();
  });

  it("describes who is notified, including thresholds, and links to the incidents", async () => {
    await renderScreen("/agents/3", { as: admin });
    const heading = await screen.findByRole("heading", { level: 2, name: "Notifications" });
    const card = within(heading.closest("section") as HTMLElement);
    expect(await card.findByText("Uses the settings for all agents.")).toBeTruthy();
    expect(card.getByText("CPU 90%, memory 90%, and disk 90%")).toBeTruthy();
    expect(card.getByText("Nothing")).toBeTruthy();
    expect(card.getByText("Nobody is notified.", { exact: false })).toBeTruthy();
    expect(card.getByRole("link", { name: "Override" }).getAttribute("href")).toBe("/notifications/settings/agent/3");
    const cause = await screen.findByText("No report for three intervals");
    expect(cause.closest("a")?.getAttribute("href")).toBe("/incidents/m3");
  });

  it("shares one cursor between all charts, also by keyboard, and distinguishes gaps from values", async () => {
    const { user } = await renderScreen("/agents/3", { as: admin });
    const cpu = await screen.findByRole("slider", { name: /^CPU/ });
    const memory = screen.getByRole("slider", { name: /^Memory/ });
    act(() => cpu.focus());
    await user.keyboard("{ArrowLeft}");
    expect(cpu.getAttribute("aria-valuetext")).toContain("Average –");
    expect(memory.getAttribute("aria-valuetext")).toContain("Average 41%");
    await user.keyboard("{Home}");
    expect(cpu.getAttribute("aria-valuetext")).toContain("Average 10%");
    expect(memory.getAttribute("aria-valuenow")).toBe("0");
  });

  it("shows the busiest interface first and others on selection; the range is requested and in the URL", async () => {
    const { user } = await renderScreen("/agents/3", { as: admin });
    const choice = (await screen.findByLabelText("Interface")) as HTMLSelectElement;
    expect(choice.value).toBe("eth1");
    await user.selectOptions(choice, "eth0");
    expect(screen.getByRole("slider", { name: /^Network/ }).getAttribute("aria-valuetext")).toContain(
      "Receive 1\u00a0KiB/s",
    );
    await user.click(screen.getByRole("radio", { name: "30 days" }));
    await waitFor(() => expect(ranges.at(-1)).toBe("30d"));
    expect(location.search).toBe("?range=30d");
    await user.click(screen.getByRole("radio", { name: "7 days" }));
    await waitFor(() => expect(ranges.at(-1)).toBe("7d"));
  });

  it("links each tag to the filtered list, and plans maintenance for the agent", async () => {
    on("get", "/agents/3", () => ok({ agent: { ...agent, tags: ["rack 1"] } as never }));
    const { user } = await renderScreen("/agents/3", { as: admin });
    expect((await screen.findByRole("link", { name: "rack 1" })).getAttribute("href")).toBe("/agents?tag=rack%201");
    await user.click(screen.getByRole("link", { name: "Schedule maintenance" }));
    expect(await screen.findByRole("button", { name: "Remove web-1" })).toBeTruthy();
  });

  it("applies live events and refetches the complete sample", async () => {
    await renderScreen("/agents/3", { as: admin });
    await screen.findByRole("heading", { name: "web-1" });
    const latest = { ...agent.latest, at: "2026-01-02T10:00:10Z", load: { one: 7, five: 8, fifteen: 9 } };
    on("get", "/agents/3", () => ok({ agent: { ...agent, status: "offline", latest } as never }));
    act(() =>
      dispatchLive([
        { id: "1", name: "agent", data: { id: 3, change: "state", status: "offline", at: "2026-01-02T10:01:00Z" } },
      ]),
    );
    expect(await screen.findByText(/This agent is offline/)).toBeTruthy();
    expect(await screen.findByText(/7 8 9/)).toBeTruthy();
  });

  it.each(["/agents/99", "/agents/abc"])("shows 'Agent not found' at %s instead of the API's message", async (path) => {
    on("get", "/agents/99", () => fail(404, "not_found", "Agent with ID 99 not found"));
    await renderScreen(path, { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Agent not found");
    expect(screen.getByRole("link", { name: "All agents" }).getAttribute("href")).toBe("/agents");
  });

  it("deletes after a confirmation and reports it on the list", async () => {
    on("delete", "/agents/3", () => ok({}, "Agent successfully deleted"));
    on("get", "/agents", () => ok({ agents: [], total: 0 }));
    const { user, path } = await renderScreen("/agents/3", { as: admin });
    await user.click(await screen.findByRole("button", { name: "Delete" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("“web-1”");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Agent successfully deleted")).toBeTruthy();
    expect(path()).toBe("/agents");
  });
});

describe("the agent form", () => {
  async function open() {
    const app = await renderScreen("/agents/edit/3", { as: admin });
    const field = await screen.findByLabelText(/^Name/);
    await app.user.clear(field);
    return { ...app, field, save: () => app.user.click(screen.getByRole("button", { name: "Save changes" })) };
  }

  it("saves a new name and returns to the agent", async () => {
    let sent: unknown;
    on("put", "/agents/3", async ({ request }) => {
      sent = await request.json();
      return ok({ agent: { ...agent, name: "web-2" } as never }, "Agent updated successfully");
    });
    const { user, field, save, path } = await open();
    await user.type(field, " web-2 ");
    await save();
    expect((await screen.findByText("Agent updated successfully")).closest("[role=status]")).toBeTruthy();
    expect(sent).toEqual({ name: "web-2" });
    expect(path()).toBe("/agents/3");
  });

  it("saves tags, and shows an error of one next to the field", async () => {
    let sent: unknown;
    on("put", "/agents/3", async ({ request }) => {
      sent = await request.json();
      return ok({ agent: agent as never }, "Agent updated successfully");
    });
    const { user } = await renderScreen("/agents/edit/3", { as: admin });
    const field = await screen.findByLabelText("Tags");
    await user.type(field, `eu, ${"x".repeat(41)}`);
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    expect(await screen.findByText("A tag must have 1 to 40 characters")).toBeTruthy();
    expect(sent).toBeUndefined();
    await user.clear(field);
    await user.type(field, "eu, rack 1,");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toEqual({ name: "web-1", tags: ["eu", "rack 1"] }));
  });

  it("saves dependencies, and shows the server's error next to the field", async () => {
    let sent: unknown;
    on("get", "/monitors", () => ok({ monitors: [monitor], total: 1 }));
    on("get", "/agents", () => ok({ agents: [agent as never], total: 1 }));
    on("put", "/agents/3", async ({ request }) => {
      sent = await request.json();
      return fail(400, "invalid", "The request is not valid", [
        { path: "dependsOn.0", message: "There is no monitor with ID 7" },
      ]);
    });
    const { user } = await renderScreen("/agents/edit/3", { as: admin });
    const field = await screen.findByRole("combobox", { name: "Depends on" });
    await user.click(field);
    await user.click(await screen.findByRole("option", { name: /Shop API/ }));
    expect(await screen.findByRole("button", { name: "Remove Shop API" })).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    const note = await screen.findByText("There is no monitor with ID 7");
    expect(field.getAttribute("aria-describedby")).toBe(note.id);
    expect(sent).toEqual({ name: "web-1", dependsOn: [{ type: "monitor", id: 7 }] });
  });

  it("requires a name, and keeps the input after a failure", async () => {
    on("put", "/agents/3", () => new HttpResponse(null, { status: 500 }));
    const { user, field, save } = await open();
    await save();
    expect((await screen.findByRole("alert")).textContent).toBe("Name is required");
    await user.type(field, "web-2");
    await save();
    expect(await screen.findByText("Update failed")).toBeTruthy();
    expect((field as HTMLInputElement).value).toBe("web-2");
  });

  it("shows 'Agent not found' for an unknown agent", async () => {
    on("get", "/agents/3", () => fail(404, "not_found", "Agent with ID 3 not found"));
    await renderScreen("/agents/edit/3", { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Agent not found");
  });
});
