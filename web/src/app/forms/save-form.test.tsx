import { act, screen, waitFor } from "@testing-library/react";
import { beforeEach, expect, it } from "vitest";
import { admin, agent } from "../../testing/fixtures.ts";
import { serveChannels, serveSettings, telegram } from "../../testing/notifications.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { ok, on } from "../../testing/server.ts";
import { serveStatusConfig, serveTargets } from "../../testing/status-page.ts";
import { sessionEnded } from "../session.ts";

beforeEach(() => {
  serveTargets();
  serveStatusConfig();
  serveChannels([telegram]);
  serveSettings();
  on("get", "/notifications/templates", () => ok({ templates: [] }));
  on("get", "/agents/3", () => ok({ agent }));
  on("post", "/auth/login", () => ok({ token: "fresh", user: admin }));
});

it.each([
  ["/notifications/channels/create?type=webhook", /^Name/],
  ["/notifications/templates/create", /^Name/],
  ["/notifications/settings", /^Memory threshold/],
  ["/status/config", /^Title/],
  ["/agents/edit/3", /^Name/],
  ["/users/create", /^Username/],
])("%s restores its input when its user logs in again after the session expired", async (address, label) => {
  const { store, user, path } = await renderScreen(address, { as: admin });
  const field = async () => (await screen.findAllByLabelText<HTMLInputElement>(label))[0]!;
  await user.clear(await field());
  await user.type(await field(), "77");

  act(() => void store.dispatch(sessionEnded("expired")));
  expect(await screen.findByText("Your session has expired.")).toBeTruthy();
  await user.type(screen.getByLabelText(/^Username/), "ada");
  await user.type(screen.getByLabelText(/^Password/), "correct horse");
  await user.click(screen.getByRole("button", { name: "Log in" }));

  expect(await screen.findByText(/^Your draft was restored/)).toBeTruthy();
  expect(path()).toBe(address.split("?")[0]);
  await waitFor(async () => expect((await field()).value).toBe("77"));
});
