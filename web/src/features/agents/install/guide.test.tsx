import { agentInstall } from "@sonde/proto/http/agents/install";
import { installLine } from "@sonde/proto/http/agents/install-script";
import { act, screen, waitFor } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, agent, config } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";
import { fillIn, readInterval, readServer, splitSteps } from "./install.ts";

const origin = "http://localhost";
const install = agentInstall({ origin, token: "tok_once", intervalSeconds: 10, downloadUrl: `${origin}/downloads` });
const scriptSha256 = "ab".repeat(32);
const line = { token: "tok_once", intervalSeconds: 10, scriptSha256 };
const oneLine = { command: installLine({ ...line, origin }), scriptSha256 };
let agents: unknown[] = [];
let sent: unknown;

beforeEach(() => {
  agents = [agent];
  on("get", "/agents", () => ok({ agents: agents as never, total: agents.length }));
  on("post", "/agents/tokens", async ({ request }) => {
    sent = await request.json();
    return HttpResponse.json(
      { success: true, token: "tok_once", expiresAt: "2099-01-01T00:00:00Z", install, oneLine },
      { status: 201 },
    );
  });
});

async function open() {
  const app = await renderScreen("/agents/create", { as: admin });
  const server = (await screen.findByLabelText(/^Server address/)) as HTMLInputElement;
  const make = async () => app.user.click(await screen.findByRole("button", { name: "Create token" }));
  return { ...app, server, make };
}
const commands = () => screen.getAllByRole("region").map(({ textContent }) => textContent ?? "");

describe("the add-agent guide", () => {
  it("proposes the browser's address, or the configured one", async () => {
    const { server, unmount } = await open();
    expect(server.value).toBe("http://localhost");
    unmount();
    on("get", "/config", () => ok({ ...config, publicUrl: "https://sonde.example" }));
    expect((await open()).server.value).toBe("https://sonde.example");
  });

  it("shows one line for Linux that installs the service, and everything else under other ways", async () => {
    const { user, make } = await open();
    await make();
    const shown = await screen.findByRole("region", { name: "Run this on the machine" });
    expect(shown.textContent).toBe(oneLine.command);
    const others = screen.getByText("Other ways").closest("details");
    expect(others?.open).toBe(false);
    expect(screen.getAllByRole("region").filter((region) => others?.contains(region) === false)).toEqual([shown]);
    await user.click(screen.getByText("Other ways"));
    expect(screen.getByRole("region", { name: "Without a service" }).textContent).toBe(
      `${oneLine.command} --no-service`,
    );
    expect(screen.getByRole("region", { name: "Service, step by step" }).textContent).toBe(install.systemd);
  });

  it("shows the token once with its expiry, and commands with the typed address and interval", async () => {
    const { user, server, make } = await open();
    expect(screen.queryByText("tok_once")).toBeNull();
    await user.clear(server);
    await user.type(server, "http://10.0.0.1:8080/");
    const interval = screen.getByLabelText(/^Report interval/);
    await user.clear(interval);
    await user.type(interval, "30");
    await user.type(screen.getByLabelText("Name"), "web-9");
    await make();
    expect(await screen.findByText("tok_once")).toBeTruthy();
    expect(sent).toEqual({ name: "web-9" });
    expect(screen.getByText(/Jan 1, 2099|Dec 31, 2098/)).toBeTruthy();
    const origin = "http://10.0.0.1:8080";
    expect(commands()[0]).toBe(installLine({ ...line, origin, intervalSeconds: 30 }));
    const [download = "", run = ""] = commands().filter((text) => text.includes("#"));
    expect(download).toContain("'http://10.0.0.1:8080/downloads'");
    expect(download).not.toContain("register");
    expect(run).toContain("register --server 'http://10.0.0.1:8080' --allow-http --interval 30");
    await user.click(screen.getByRole("tab", { name: "Windows" }));
    expect(commands().join()).toContain("sonde-agent.exe");
  });

  it("reports the registration and then the connection, of this agent only", async () => {
    const { make } = await open();
    await make();
    expect(await screen.findByText("Waiting for the agent…")).toBeTruthy();
    const own = { ...agent, id: 9, name: "web-9", status: "connecting", lastSeen: null, latest: undefined };
    agents = [own, agent];
    const at = "2026-01-02T10:00:00Z";
    act(() => dispatchLive([{ id: "1", name: "agent", data: { id: 9, change: "registered", name: "web-9", at } }]));
    expect(await screen.findByText(/web-9 is registered/)).toBeTruthy();
    act(() => dispatchLive([{ id: "2", name: "agent", data: { id: 9, change: "state", status: "online", at } }]));
    expect(await screen.findByText("web-9 is connected")).toBeTruthy();
    expect(screen.getByRole("link", { name: "Open web-9" }).getAttribute("href")).toBe("/agents/9");
  });

  it("rejects an invalid address or interval without creating a token", async () => {
    sent = undefined;
    const { user, server, make } = await open();
    await user.clear(server);
    await user.type(server, "ftp://x");
    expect(await screen.findByText(/Enter an http:\/\/ or https:\/\/ address/)).toBeTruthy();
    await make();
    expect(sent).toBeUndefined();
  });

  it.each([
    ["the server's message", () => fail(403, "forbidden", "You may not do this"), "You may not do this"],
    ["the fallback", () => new HttpResponse(null, { status: 404 }), "Failed to create the token"],
  ])("shows %s if no token could be created", async (_what, answer, words) => {
    on("post", "/agents/tokens", answer);
    const { make } = await open();
    await make();
    await waitFor(() => expect(screen.getByText(words)).toBeTruthy());
  });
});

describe("the commands", () => {
  it("equal the server's for unchanged settings", () => {
    for (const text of Object.values(install)) expect(fillIn(text, { server: origin, intervalSeconds: 10 })).toBe(text);
  });

  it.each([
    ["http://localhost", "http://sonde.lan:8080"],
    ["http://localhost", "https://sonde.example"],
    ["https://sonde.example", "http://sonde.lan:8080"],
  ])("for %s equal the server's for %s and another interval", (from, to) => {
    const write = (server: string, intervalSeconds: number) =>
      agentInstall({ origin: server, token: "tok_once", intervalSeconds, downloadUrl: `${server}/downloads` });
    for (const key of ["linux", "macos", "windows", "systemd"] as const)
      expect(fillIn(write(from, 10)[key], { server: to, intervalSeconds: 60 })).toBe(write(to, 60)[key]);
  });

  it("keep download URLs of other hosts when the server address changes", () => {
    const downloadUrl = "https://files.example/agents";
    const { linux } = agentInstall({ origin, token: "tok_once", intervalSeconds: 10, downloadUrl });
    const filled = fillIn(linux, { server: "http://10.0.0.1", intervalSeconds: 10 });
    expect(filled).toContain("curl --proto '=https' -fsSLo");
    expect(filled).toContain(`url='${downloadUrl}'`);
  });

  it("are split into two steps on each system without losing lines", () => {
    for (const key of ["linux", "macos", "windows"] as const) {
      const { download, run } = splitSteps(install[key]);
      expect(download).not.toContain("tok_once");
      expect(run).toContain("tok_once");
      expect(`${download}\n\n${run}\n`).toBe(install[key]);
    }
  });

  it.each([
    ["https://a.example/", "https://a.example"],
    [" http://10.0.0.1:8080 ", "http://10.0.0.1:8080"],
    ["https://a.example/it's", "https://a.example/it%27s"],
    ["a.example", null],
    ["javascript:alert(1)", null],
    ["https://u@a.example", null],
  ])("parse the address %s as %s", (typed, server) => expect(readServer(typed)).toBe(server));

  it("accept whole seconds from 1 to 3600", () => {
    expect(["1", "3600", "0", "3601", "1.5", "x", ""].map(readInterval)).toEqual([
      1,
      3600,
      null,
      null,
      null,
      null,
      null,
    ]);
  });
});
