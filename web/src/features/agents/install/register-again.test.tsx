import { agentInstall } from "@sonde/proto/http/agents/install";
import { act, screen, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { changeLanguage } from "../../../app/i18n.ts";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, agent, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const origin = "http://localhost";
const install = agentInstall({ origin, token: "tok_again", intervalSeconds: 10, downloadUrl: `${origin}/downloads` });
const registered = { ...agent, interval: 30, registeredAt: "2026-01-01T10:00:00Z", lastSeen: "2026-01-02T10:00:00Z" };
let shown: typeof agent;
let sent: unknown;

beforeEach(() => {
  shown = registered;
  sent = undefined;
  on("get", "/agents/3", () => ok({ agent: shown as never }));
  on("post", "/agents/tokens", async ({ request }) => {
    sent = await request.json();
    return HttpResponse.json(
      {
        success: true,
        token: "tok_again",
        expiresAt: "2099-01-01T00:00:00Z",
        install,
        oneLine: { command: "", scriptSha256: "" },
      },
      { status: 201 },
    );
  });
});

async function ask() {
  const app = await renderScreen("/agents/edit/3", { as: admin });
  await app.user.click(await screen.findByRole("button", { name: "Register again…" }));
  const dialog = await screen.findByRole("dialog");
  const make = async () => app.user.click(await within(dialog).findByRole("button", { name: "Create token" }));
  return { ...app, dialog, make };
}
/** Simulates an event of the agent, which triggers a refetch. */
const moved = (id: string, more: object) => {
  shown = { ...shown, ...more };
  const at = "2026-01-03T10:00:00Z";
  act(() => dispatchLive([{ id, name: "agent", data: { id: 3, change: "registered", name: "web-1", at } }]));
};

describe("registering an agent again", () => {
  it("asks for confirmation, warns that the old key will end, and creates no token if cancelled", async () => {
    const { user, dialog } = await ask();
    expect(dialog.textContent).toContain("Register “web-1” again?");
    expect(dialog.textContent).toContain("the agent's current key is revoked");
    await user.click(within(dialog).getByRole("button", { name: "Cancel" }));
    expect(sent).toBeUndefined();
    expect(screen.queryByText("tok_again")).toBeNull();
  });

  it("shows the token once with the commands, and then reports registration and connection", async () => {
    const { make } = await ask();
    await make();
    expect(await screen.findByText("tok_again")).toBeTruthy();
    expect(sent).toEqual({ agentId: 3 });
    const commands = screen.getAllByRole("region").map(({ textContent }) => textContent ?? "");
    expect(commands.join()).toContain("--interval 30");
    expect(await screen.findByText("Waiting for the agent…")).toBeTruthy();
    // The old key works until the token is used. A report with it must not count.
    moved("1", { lastSeen: "2026-01-03T09:00:00Z" });
    moved("2", { registeredAt: "2026-01-03T10:00:00Z" });
    expect(await screen.findByText(/web-1 is registered/)).toBeTruthy();
    expect(screen.queryByText("web-1 is connected")).toBeNull();
    moved("3", { lastSeen: "2026-01-03T10:00:05Z" });
    expect(await screen.findByText("web-1 is connected")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open web-1" }).getAttribute("href")).toBe("/agents/3");
  });

  it("is not offered to viewers", async () => {
    await renderScreen("/agents/edit/3", { as: viewer });
    await screen.findByText(/^Viewers can read everything/);
    expect(screen.queryByRole("button", { name: "Register again…" })).toBeNull();
  });

  it("shows in the dialog why no token could be created", async () => {
    on("post", "/agents/tokens", () => fail(404, "not_found", "Agent with ID 3 not found"));
    const { make, dialog } = await ask();
    await make();
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Agent with ID 3 not found");
  });
});

describe("a key used by two machines", () => {
  beforeEach(() => {
    shown = { ...registered, duplicateKey: true };
    on("get", "/incidents", () => ok({ incidents: [], total: 0 }));
    on("get", "/agents/3/metrics", () => new HttpResponse(null, { status: 503 }));
  });

  it("causes a warning on the agent's page with instructions, in both languages", async () => {
    await renderScreen("/agents/3", { as: admin });
    const warning = (await screen.findByText(/Two machines are reporting with this agent's key/)).closest(
      "[role=alert]",
    );
    expect(warning?.querySelector("a")?.getAttribute("href")).toBe("/agents/edit/3");
    await act(() => changeLanguage("zh-CN"));
    expect(await screen.findByText(/有两台机器正在使用同一个密钥上报/)).toBeTruthy();
  });

  it("offers viewers no actions, and a single machine causes no warning", async () => {
    const { unmount } = await renderScreen("/agents/3", { as: viewer });
    await screen.findByText(/Two machines are reporting with this agent's key/);
    expect(screen.queryByRole("link", { name: "Register it again" })).toBeNull();
    unmount();
    shown = { ...registered, duplicateKey: false };
    await renderScreen("/agents/3", { as: admin });
    await screen.findByRole("heading", { name: "web-1" });
    expect(screen.queryByText(/Two machines/)).toBeNull();
  });
});
