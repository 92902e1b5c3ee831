import { screen, waitFor, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { admin } from "../../testing/fixtures.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";

const invite = { id: 4, role: "viewer", expiresAt: "2099-12-01T00:00:00Z", createdBy: "ada" } as const;

it("an invite shows its link once, and can be revoked", async () => {
  let invites: object[] = [];
  const sent: unknown[] = [];
  on("get", "/users", () => ok({ users: [admin], total: 1 }));
  on("get", "/users/invites", () => ok({ invites, total: invites.length } as never));
  on("post", "/users/invites", async ({ request }) => {
    const input = (await request.json()) as { email?: string };
    sent.push(input);
    invites = [{ ...invite, ...input }];
    const mail = input.email === undefined ? {} : { mail: "unavailable" };
    return ok({ invite: invites[0], url: "https://sonde.example.com/invite#t", ...mail } as never);
  });
  on("delete", "/users/invites/4", () => {
    invites = [];
    return ok({}, "Invite revoked");
  });
  const { user } = await renderScreen("/users", { as: admin });
  await user.click(await screen.findByRole("button", { name: "Invite" }));
  await user.type(await screen.findByLabelText(/^Email/), "ann@example.com");
  await user.click(screen.getByRole("button", { name: "Create link" }));
  expect(await screen.findByText("https://sonde.example.com/invite#t")).toBeTruthy();
  expect(sent).toEqual([{ email: "ann@example.com", role: "viewer" }]);
  expect(screen.getByText(/^Sonde has no working email channel/)).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Done" }));
  expect(await screen.findByText("ann@example.com")).toBeTruthy();
  await user.click(screen.getByRole("button", { name: "Revoke" }));
  await user.click(within(await screen.findByRole("dialog")).getByRole("button", { name: "Revoke" }));
  await waitFor(() => expect(screen.queryByText("ann@example.com")).toBeNull());
});
