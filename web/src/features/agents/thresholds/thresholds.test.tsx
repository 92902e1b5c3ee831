import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, agent, viewer } from "../../../testing/fixtures.ts";
import { notificationSettings } from "../../../testing/settings.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const { globalAgent } = notificationSettings;
const points = [{ start: "2026-01-02T10:00:00Z", avg: 50, max: 60 }];
const quietHours = { start: "22:00", end: "07:00", timeZone: "Asia/Tokyo" };
const ownSettings = { ...globalAgent, channels: [4], quietHours, thresholds: { cpu: 75, memory: null, disk: 95 } };

/** The agent's own settings, if any, and the requests for it. */
let own: typeof ownSettings | undefined;
let sent: unknown[];

beforeEach(() => {
  own = undefined;
  sent = [];
  on("get", "/agents/3", () => ok({ agent: agent as never }));
  on("get", "/agents/3/metrics", () =>
    ok({
      range: "1h",
      step: 60,
      cpu: points,
      memory: points,
      load: { one: points, five: points, fifteen: points },
      disks: { "/": points },
      network: { eth0: { receiveRate: points, sendRate: points } },
    }),
  );
  on("get", "/incidents", () => ok({ incidents: [], total: 0 }));
  on("get", "/notifications/settings", () =>
    ok({ ...notificationSettings, globalAgent: { ...globalAgent, channels: [1] }, agents: own ? { 3: own } : {} }),
  );
  on("put", "/notifications/settings/agent/3", async ({ request }) => {
    own = (await request.json()) as typeof ownSettings;
    sent.push(own);
    return ok({ settings: own as never }, "Notification settings saved");
  });
  on("delete", "/notifications/settings/agent/3", () => {
    own = undefined;
    return ok({}, "Global settings restored");
  });
});

async function open(as = admin) {
  const app = await renderScreen("/agents/3", { as });
  const heading = await screen.findByRole("heading", { level: 2, name: /^Thresholds/ });
  const card = within(heading.closest("section") as HTMLElement);
  return { ...app, heading, card, shown: () => heading.closest("section")?.textContent };
}

describe("an agent's thresholds", () => {
  it("are shown as global if the agent has no own ones, and are marked in the charts", async () => {
    const { shown } = await open();
    expect(shown()).toMatch(/ThresholdsGlobal.*CPU90%Memory90%Disk90%/);
    for (const name of ["CPU", "Memory", "Disks"]) {
      const chart = screen.getByRole("heading", { level: 3, name }).parentElement?.parentElement as HTMLElement;
      await waitFor(() => expect(chart.textContent).toContain("Threshold90%"));
    }
    const load = screen.getByRole("heading", { level: 3, name: "Load" }).parentElement?.parentElement;
    expect(load?.textContent).not.toContain("Threshold");
  });

  it("are shown as own ones next to the global ones, and a disabled one is not in the charts", async () => {
    own = ownSettings;
    const { shown } = await open();
    await waitFor(() => expect(shown()).toContain("ThresholdsCustom"));
    expect(shown()).toMatch(/CPU75%Global: 90%MemoryOffGlobal: 90%Disk95%Global: 90%/);
    const memory = screen.getByRole("heading", { level: 3, name: "Memory" }).parentElement?.parentElement;
    expect(memory?.textContent).not.toContain("Threshold");
  });

  it("are saved with a copy of the other global settings, and the focus returns to the button", async () => {
    const { user, card, shown } = await open();
    await user.click(await card.findByRole("button", { name: "Edit thresholds" }));
    const cpu = await card.findByLabelText("CPU");
    await waitFor(() => expect(document.activeElement).toBe(cpu));
    expect(shown()).toContain("its own copy of the notification settings");
    await user.clear(cpu);
    await user.type(cpu, "97.5");
    await user.clear(card.getByLabelText("Memory"));
    await user.click(card.getByRole("button", { name: "Save thresholds" }));
    await waitFor(() => expect(shown()).toMatch(/ThresholdsCustom.*CPU97\.5%.*MemoryOff.*Disk90%/));
    expect(sent).toEqual([{ ...globalAgent, channels: [1], thresholds: { cpu: 97.5, memory: null, disk: 90 } }]);
    expect(card.getByRole("status").textContent).toBe("Thresholds saved");
    await waitFor(() => expect(document.activeElement).toBe(card.getByRole("button", { name: "Edit thresholds" })));
  });

  it("are saved without changing the agent's own channels and quiet hours", async () => {
    own = ownSettings;
    const { user, card } = await open();
    await user.click(await card.findByRole("button", { name: "Edit thresholds" }));
    const memory = await card.findByLabelText("Memory");
    await user.type(memory, "80");
    await user.click(card.getByRole("button", { name: "Save thresholds" }));
    await waitFor(() => expect(sent).toEqual([{ ...ownSettings, thresholds: { cpu: 75, memory: 80, disk: 95 } }]));
  });

  it("reject invalid percentages next to the field without a request", async () => {
    const { user, card } = await open();
    await user.click(await card.findByRole("button", { name: "Edit thresholds" }));
    const cpu = await card.findByLabelText("CPU");
    for (const text of ["0", "101", "much"]) {
      await user.clear(cpu);
      await user.type(cpu, text);
      await user.click(card.getByRole("button", { name: "Save thresholds" }));
      await waitFor(() => expect(cpu.getAttribute("aria-invalid")).toBe("true"));
    }
    expect(sent).toEqual([]);
    await user.click(card.getByRole("button", { name: "Cancel" }));
    expect(await card.findByText("This agent uses the global thresholds.")).toBeTruthy();
  });

  it("stay in the form with the reason if the server rejects them", async () => {
    on("put", "/notifications/settings/agent/3", () =>
      fail(400, "invalid", "The request is not valid", [{ path: "thresholds.disk", message: "At most 100" }]),
    );
    const { user, card } = await open();
    await user.click(await card.findByRole("button", { name: "Edit thresholds" }));
    const disk = await card.findByLabelText("Disk");
    await user.clear(disk);
    await user.type(disk, "96");
    await user.click(card.getByRole("button", { name: "Save thresholds" }));
    const note = await card.findByText("At most 100");
    expect(disk.getAttribute("aria-describedby")).toBe(note.id);
    expect((disk as HTMLInputElement).value).toBe("96");
  });

  it("are global again after a confirmed reset", async () => {
    own = ownSettings;
    const { user, card, shown } = await open();
    await user.click(await card.findByRole("button", { name: "Use global" }));
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.getByText(/“web-1” will lose its own thresholds, channels and events/)).toBeTruthy();
    await user.click(dialog.getByRole("button", { name: "Use global" }));
    await waitFor(() => expect(shown()).toMatch(/ThresholdsGlobal.*CPU90%/));
    expect(card.getByRole("status").textContent).toBe("Global thresholds restored");
    expect(card.queryByRole("button", { name: "Use global" })).toBeNull();
  });

  it("are read-only for viewers", async () => {
    own = ownSettings;
    const { card, shown } = await open(viewer);
    await waitFor(() => expect(shown()).toMatch(/CPU75%/));
    expect(card.queryByRole("button")).toBeNull();
  });

  it("come from the agent's response while notification settings are unavailable", async () => {
    on("get", "/notifications/settings", () => fail(503, "unavailable", "The notifier service is not available"));
    on("get", "/agents/3", () =>
      ok({ agent: { ...agent, thresholds: { cpu: 70, memory: null, disk: 80, scope: "agent" } } as never }),
    );
    const { card, shown } = await open();
    expect(shown()).toMatch(/ThresholdsCustom.*CPU70%MemoryOffDisk80%/);
    expect(card.queryByRole("button")).toBeNull();
  });
});
