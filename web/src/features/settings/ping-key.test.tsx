import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { admin, viewer } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

let stored: { pingKey: string | null; creates: boolean };
let sent: unknown[];
beforeEach(() => {
  stored = { pingKey: null, creates: false };
  sent = [];
  on("get", "/ping-key", () => ok({ ...stored }));
  on("put", "/ping-key", async ({ request }) => {
    const input = (await request.json()) as { creates: boolean; renew?: boolean };
    sent.push(input);
    stored = { creates: input.creates, pingKey: input.renew === true ? `key-${sent.length}` : stored.pingKey };
    return ok({ ...stored });
  });
});

async function open(as = admin) {
  const app = await renderScreen("/settings/general", { as });
  await screen.findByRole("heading", { name: "General" });
  return app;
}

describe("the ping key", () => {
  it("is created on demand, can create heartbeats if enabled, and is renewed after a confirmation", async () => {
    const { user } = await open();
    await user.click(await screen.findByRole("button", { name: "Create key" }));
    expect(await screen.findByText("key-1")).toBeTruthy();
    await user.click(screen.getByRole("checkbox", { name: /Create heartbeats on first ping/ }));
    await waitFor(() => expect(sent.at(-1)).toEqual({ creates: true }));
    const creates = () => screen.getByRole<HTMLInputElement>("checkbox", { name: /Create heartbeats on first ping/ });
    await waitFor(() => expect(creates().checked).toBe(true));
    await user.click(screen.getByRole("button", { name: "Replace key" }));
    await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Replace key" }));
    expect(await screen.findByText("key-3")).toBeTruthy();
    expect(sent.at(-1)).toEqual({ creates: true, renew: true });
  });

  it("is read-only for users who are not administrators, and hidden from viewers", async () => {
    stored = { pingKey: "a-key", creates: true };
    const app = await open({ ...admin, role: "user" });
    expect(await screen.findByText("a-key")).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Replace key" })).toBeNull();
    expect(screen.getByRole<HTMLInputElement>("checkbox", { name: /Create heartbeats on first ping/ }).disabled).toBe(
      true,
    );
    app.unmount();
    await open(viewer);
    expect(screen.queryByRole("heading", { name: "Ping key" })).toBeNull();
  });
});
