import type { ApiKey } from "@sonde/proto/http/keys";
import { screen, waitFor, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { admin, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const key: ApiKey = {
  id: 7,
  name: "CI",
  prefix: "sonde_abcdef",
  scopes: ["read", "monitors"],
  allowFrom: ["192.0.2.0/24"],
  owner: { id: 1, username: "ada" },
  createdAt: "2026-11-20T00:00:00.000Z",
  createdBy: "ada",
  expiresAt: "2020-01-01T00:00:00.000Z",
};

/** Stores keys like the server. Returns the requests to create keys. */
function serveKeys(keys: ApiKey[]) {
  const sent: unknown[] = [];
  on("get", "/keys", () => ok({ keys }));
  on("post", "/keys", async ({ request }) => {
    sent.push(await request.json());
    keys.push({ ...key, id: 8, name: "Grafana" });
    return ok({ key: keys.at(-1)!, secret: "sonde_secret" }, "API key created");
  });
  on("delete", "/keys/7", () => {
    keys.splice(0, 1);
    return ok({}, "API key deleted");
  });
  return sent;
}

async function open(path: string, heading: string, as = admin) {
  const app = await renderScreen(path, { as });
  await screen.findByRole("heading", { name: heading });
  const press = async (name: string) => app.user.click(await screen.findByRole("button", { name }));
  return { ...app, press };
}

describe("API keys of a profile", () => {
  it("show scopes, networks and expiry", async () => {
    serveKeys([key]);
    await open("/profile", "Profile");
    const row = (await screen.findByText("CI")).closest("li")!;
    for (const text of [/sonde_abcdef/, /read, monitors · from 192.0.2.0\/24/, /Expired/, /never used/]) {
      expect(within(row).getAllByText(text).length).toBeGreaterThan(0);
    }
  });

  it("are created with scopes, an expiry and networks, and their secret is shown once", async () => {
    const sent = serveKeys([]);
    const { press, user } = await open("/profile", "Profile");
    await press("Add key");
    const dialog = within(await screen.findByRole("dialog"));
    await user.type(dialog.getByLabelText(/^Name/), "Grafana");
    await user.click(dialog.getByRole("checkbox", { name: /^metrics/ }));
    await user.type(dialog.getByLabelText(/^Allowed networks/), "192.0.2.0/24");
    await press("Create key");
    expect(await screen.findByText("sonde_secret")).toBeTruthy();
    expect(sent).toMatchObject([{ name: "Grafana", scopes: ["read", "metrics"], allowFrom: ["192.0.2.0/24"] }]);
    const days = (Date.parse((sent[0] as { expiresAt: string }).expiresAt) - Date.now()) / 86_400_000;
    expect(Math.round(days)).toBe(90);
    await press("Done");
    await waitFor(() => expect(screen.queryByText("sonde_secret")).toBeNull());
    expect(await screen.findByText("Grafana")).toBeTruthy();
  });

  it("require a name, a scope and valid networks", async () => {
    serveKeys([]);
    const { press, user } = await open("/profile", "Profile", viewer);
    await press("Add key");
    const dialog = within(await screen.findByRole("dialog"));
    expect(dialog.queryByRole("option", { name: "Never" })).toBeNull();
    await user.click(dialog.getByRole("checkbox", { name: /^read/ }));
    await user.type(dialog.getByLabelText(/^Allowed networks/), "nowhere");
    await press("Create key");
    await waitFor(() => expect(dialog.getAllByRole("alert")).toHaveLength(3));
    expect(dialog.getByText("Enter a network such as 192.0.2.0/24")).toBeTruthy();
  });

  it("show the server's errors in the form", async () => {
    on("post", "/keys", () => fail(422, "impossible", "An account can have at most 100 API keys"));
    const { press, user } = await open("/profile", "Profile");
    await press("Add key");
    await user.type(within(await screen.findByRole("dialog")).getByLabelText(/^Name/), "CI");
    await press("Create key");
    expect(await screen.findByText("An account can have at most 100 API keys")).toBeTruthy();
  });

  it("are revoked after a confirmation, and rotated to a new secret", async () => {
    serveKeys([key]);
    let sent: unknown;
    on("post", "/keys/7/rotate", async ({ request }) => {
      sent = await request.json();
      return ok({ key, secret: "sonde_another" }, "API key updated");
    });
    const { press, user } = await open("/profile", "Profile");
    await press("Rotate");
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Rotate" }));
    expect(await screen.findByText("sonde_another")).toBeTruthy();
    expect(sent).toEqual({ overlapMinutes: 60 });
    await press("Done");
    await press("Revoke");
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Revoke" }));
    expect(await screen.findByText("No API keys yet.")).toBeTruthy();
  });
});

describe("service accounts", () => {
  const account = { id: 8, username: "grafana", role: "viewer", createdAt: key.createdAt, keys: 1 };

  it("are created with name and role, have their own keys, and are deleted after a confirmation", async () => {
    const accounts: (typeof account)[] = [];
    const sent = serveKeys([
      { ...key, owner: { id: 8, username: "grafana" } },
      { ...key, id: 9, name: "of ada" },
    ]);
    on("get", "/users", () => ok({ users: [admin], total: 1 }));
    on("get", "/service-accounts", () => ok({ accounts }));
    on("post", "/service-accounts", () => {
      accounts.push(account);
      return ok({ account }, "Service account created");
    });
    on("delete", "/service-accounts/8", () => {
      accounts.pop();
      return ok({}, "Service account deleted");
    });
    const { press, user } = await open("/users", "User Management");
    await press("Add service account");
    await user.type(within(await screen.findByRole("dialog")).getByLabelText(/^Name/), "grafana");
    await press("Create account");
    const section = within(await screen.findByRole("region", { name: "grafana" }));
    expect(section.getByText("CI")).toBeTruthy();
    expect(section.queryByText("of ada")).toBeNull();
    await user.click(section.getByRole("button", { name: "Add key" }));
    await user.type(within(await screen.findByRole("dialog")).getByLabelText(/^Name/), "scrape");
    await press("Create key");
    await press("Done");
    expect(sent).toMatchObject([{ accountId: 8 }]);
    await user.click(section.getByRole("button", { name: "Delete" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(screen.queryByRole("region", { name: "grafana" })).toBeNull());
  });
});
