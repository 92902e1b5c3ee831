import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { admin } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

const times = { createdAt: "2026-01-01T00:00:00Z", expiresAt: "2099-01-01T00:00:00Z" };
const named = { id: 3, name: "web-9", createdBy: "ugo", ...times };
const again = { id: 4, agent: { id: 7, name: "db-1" }, createdBy: "ada", ...times };
let tokens: unknown[] = [];

beforeEach(() => {
  tokens = [again, named];
  on("get", "/agents", () => ok({ agents: [], total: 0 }));
  on("get", "/agents/tokens", () => ok({ tokens: tokens as never, total: tokens.length }));
});

const section = async () =>
  (await screen.findByRole("heading", { name: "Unused tokens" })).closest("section") as HTMLElement;

describe("open registration tokens", () => {
  it("are listed below the guide with purpose, creator and expiry", async () => {
    await renderScreen("/agents/create", { as: admin });
    const rows = within(await section()).getAllByRole("listitem");
    expect(rows.map(({ textContent }) => textContent)).toEqual([
      expect.stringMatching(/db-1.*Registers “db-1” again.*created by ada.*Valid until/),
      expect.stringMatching(/web-9.*created by ugo.*Valid until/),
    ]);
  });

  it("are not shown if there are none", async () => {
    tokens = [];
    await renderScreen("/agents/create", { as: admin });
    await screen.findByRole("button", { name: "Create token" });
    expect(screen.queryByText("Unused tokens")).toBeNull();
  });

  it("are revoked after a confirmation; a failure stays in the dialog", async () => {
    const { user } = await renderScreen("/agents/create", { as: admin });
    on("delete", "/agents/tokens/3", () => new HttpResponse(null, { status: 500 }));
    await user.click(await screen.findByRole("button", { name: "Revoke: web-9" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("web-9");
    await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Failed to revoke the token");
    on("delete", "/agents/tokens/3", () => {
      tokens = [again];
      return ok({}, "Token revoked");
    });
    await user.click(within(dialog).getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(screen.queryByRole("button", { name: "Revoke: web-9" })).toBeNull());
    expect(screen.getByRole("button", { name: "Revoke: db-1" })).toBeTruthy();
  });

  it("are shown as soon as one is created", async () => {
    tokens = [];
    const { user } = await renderScreen("/agents/create", { as: admin });
    const oneLine = { command: "", scriptSha256: "" };
    const install = { linux: "# a", macos: "# a", windows: "# a", systemd: "# a" };
    on("post", "/agents/tokens", () => {
      tokens = [named];
      const answer = { success: true, token: "tok_once", expiresAt: times.expiresAt, install, oneLine };
      return HttpResponse.json(answer, { status: 201 });
    });
    await user.click(await screen.findByRole("button", { name: "Create token" }));
    expect(await section()).toBeTruthy();
  });

  it("show why they could not be loaded", async () => {
    on("get", "/agents/tokens", () => fail(503, "unavailable", "The agents service is not available"));
    await renderScreen("/agents/create", { as: admin });
    expect(await screen.findByText(/^The agents service/)).toBeTruthy();
  });
});
