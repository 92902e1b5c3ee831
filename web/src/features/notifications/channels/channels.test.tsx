import { act, screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import { dispatchLive } from "../../../app/live/events.ts";
import { admin, config, viewer } from "../../../testing/fixtures.ts";
import { brokenSlack, serveChannels, serveSettings, telegram, testDelivery } from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

beforeEach(() => {
  serveChannels([telegram, brokenSlack]);
  serveSettings();
  on("get", "/notifications/templates", () => ok({ templates: [] }));
});
const open = async (as = admin) => {
  const app = await renderScreen("/notifications", { as });
  await screen.findByRole("heading", { name: "Notifications" });
  return app;
};
const cardOf = async (name: string) => within(await screen.findByRole("article", { name }));

describe("the channels", () => {
  it("show type, health with the provider's rejection, last message and usage", async () => {
    await open();
    const card = await cardOf("On call");
    expect(card.getByText("Telegram")).toBeTruthy();
    expect(card.getByText("Working")).toBeTruthy();
    expect(card.getByText(/Delivered/)).toBeTruthy();
    expect(await card.findByText("Used for all monitors")).toBeTruthy();
    const broken = await cardOf("Ops room");
    expect(broken.getByText("Rejected by the provider")).toBeTruthy();
    expect(broken.getByText("channel_is_archived")).toBeTruthy();
    expect(card.getByRole("link", { name: "Delivery history: On call" }).getAttribute("href")).toBe(
      "/notifications/deliveries?channel=1",
    );
  });

  it("are healthy only after a delivery; failing ones come first, with the provider's response", async () => {
    const failure = { at: "2026-01-02T11:00:00Z", answer: "Too Many Requests" };
    const own = { healthy: true, refusal: undefined, lastDelivery: undefined };
    const retried = { ...own, id: 4, name: "Mail", state: "failing" as const, waiting: { messages: 2, failure } };
    const given = { ...own, id: 3, name: "Night", state: "failing" as const };
    const waiting = { ...own, id: 5, name: "Chat", state: "untried" as const, waiting: { messages: 1 } };
    const others = [given, retried, waiting].map((changes) => ({ ...brokenSlack, ...changes }));
    serveChannels([telegram, ...others, brokenSlack]);
    await open();
    const mail = await cardOf("Mail");
    expect(mail.getByText("Failing, retrying")).toBeTruthy();
    expect(mail.getByText("Too Many Requests")).toBeTruthy();
    expect(mail.getByText("2 messages waiting.")).toBeTruthy();
    expect(mail.queryByText(/^Last message/)).toBeNull();
    expect((await cardOf("Night")).getByText("Last message failed")).toBeTruthy();
    expect((await cardOf("Chat")).getByText("Waiting to send")).toBeTruthy();
    const names = screen.getAllByRole("article").map((card) => card.querySelector("h2")?.textContent);
    expect(names).toEqual(["Ops room", "Mail", "Night", "On call", "Chat"]);
  });

  it("warn that messages have no links without a public address", async () => {
    const without = await open();
    expect(await screen.findByText(/^Messages don't link/)).toBeTruthy();
    without.unmount();
    on("get", "/config", () => ok({ ...config, publicUrl: "https://up.example" }));
    await open();
    await cardOf("On call");
    expect(screen.queryByText(/^Messages don't link/)).toBeNull();
  });

  it("update with deliveries while visible", async () => {
    serveChannels([telegram]);
    await open();
    const card = await cardOf("On call");
    serveChannels([{ ...telegram, healthy: false, refusal: { at: "2026-01-02T11:00:00Z", answer: "Unauthorized" } }]);
    const data = { id: 9, channelId: 1, status: "failed" };
    act(() => dispatchLive([{ id: "1", name: "delivery", data } as never]));
    expect(await card.findByText("Unauthorized")).toBeTruthy();
  });

  it("are disabled and enabled at once", async () => {
    const sent: unknown[] = [];
    on("put", "/notifications/channels/1", async ({ request }) => {
      sent.push(await request.json());
      serveChannels([{ ...telegram, enabled: false }]);
      return ok({ channel: { ...telegram, enabled: false } } as never);
    });
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("checkbox", { name: "Enabled: On call" }));
    expect(await card.findByText("Off")).toBeTruthy();
    expect(sent).toEqual([{ enabled: false }]);
  });

  it("are enabled again from the toast", async () => {
    const sent: { enabled: boolean }[] = [];
    on("put", "/notifications/channels/1", async ({ request }) => {
      const input = (await request.json()) as { enabled: boolean };
      sent.push(input);
      serveChannels([{ ...telegram, ...input }]);
      return ok({ channel: { ...telegram, ...input } } as never);
    });
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("checkbox", { name: "Enabled: On call" }));
    expect(await screen.findByText("On call is off and receives no messages")).toBeTruthy();
    await user.click(screen.getByRole("button", { name: "Undo" }));
    expect(await screen.findByText("Undone")).toBeTruthy();
    expect(sent).toEqual([{ enabled: false }, { enabled: true }]);
  });

  it("report a failed change and show the stored state", async () => {
    on("put", "/notifications/channels/1", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("checkbox", { name: "Enabled: On call" }));
    expect((await card.findByRole("alert")).textContent).toBe("Failed to save notification channel");
    expect(card.getByRole<HTMLInputElement>("checkbox", { name: "Enabled: On call" }).checked).toBe(true);
  });

  it("mark unused ones, and add them to both global settings", async () => {
    const sent = serveSettings();
    const { user } = await open();
    const card = await cardOf("Ops room");
    await user.click(await card.findByRole("button", { name: "Use for all: Ops room" }));
    expect(await card.findByText("Used for all monitors and all agents")).toBeTruthy();
    expect(sent.map(({ path }) => path)).toEqual(["global-monitor", "global-agent"]);
    expect(sent[0]?.body).toMatchObject({ channels: [1, 2], cooldownMinutes: 30, language: "en-US" });
  });

  it("offer a retry if they cannot be loaded", async () => {
    on("get", "/notifications/channels", () =>
      fail(503, "unavailable", "The notifier service is currently unavailable"),
    );
    const { user } = await open();
    expect(await screen.findByText("The notifier service is currently unavailable")).toBeTruthy();
    serveChannels([telegram]);
    await user.click(screen.getByRole("button", { name: "Try again" }));
    expect(await cardOf("On call")).toBeTruthy();
  });

  it("are read-only for viewers", async () => {
    await open(viewer);
    const card = await cardOf("On call");
    expect(card.queryByRole("button", { name: /Send test/ })).toBeNull();
    expect(card.queryByRole("button", { name: /Delete/ })).toBeNull();
    expect(card.getByRole<HTMLInputElement>("checkbox").disabled).toBe(true);
    expect(screen.queryByRole("link", { name: "Add channel" })).toBeNull();
  });
});

describe("testing a channel", () => {
  it("shows the progress, then that it was delivered, with the provider's response and a link", async () => {
    let answer = () => undefined as void;
    on("post", "/notifications/channels/1/test", async () => {
      await new Promise<void>((resolve) => void (answer = resolve));
      return ok({ delivery: testDelivery } as never);
    });
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("button", { name: "Send test: On call" }));
    expect((await card.findByRole("status")).textContent).toContain("waiting for the provider's response");
    expect(card.getByText("Sending…").closest("button")?.getAttribute("aria-disabled")).toBe("true");
    answer();
    expect(await card.findByText("The test was delivered.")).toBeTruthy();
    expect(card.getByText("message_id 77")).toBeTruthy();
    expect(card.getByRole("link", { name: "View delivery" }).getAttribute("href")).toBe(
      "/notifications/deliveries?channel=1&open=41",
    );
  });

  it("shows why it was not delivered", async () => {
    const refused = {
      ...testDelivery,
      status: "failed",
      attempts: [{ ...testDelivery.attempts[0], answer: "chat not found" }],
    };
    on("post", "/notifications/channels/1/test", () => ok({ delivery: refused } as never));
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("button", { name: "Send test: On call" }));
    const alert = await card.findByRole("alert");
    expect(alert.textContent).toContain("The test was not delivered.");
    expect(alert.textContent).toContain("chat not found");
  });

  it.each([
    [
      "the server's message",
      () => fail(429, "too_many", "Too many requests, please try again later"),
      "Too many requests, please try again later",
    ],
    ["the fallback", () => new HttpResponse(null, { status: 500 }), "Failed to test the notification channel"],
  ])("shows %s if no test could be sent", async (_what, answer, words) => {
    on("post", "/notifications/channels/1/test", answer);
    const { user } = await open();
    const card = await cardOf("On call");
    await user.click(card.getByRole("button", { name: "Send test: On call" }));
    expect((await card.findByRole("alert")).textContent).toBe(words);
    await user.click(card.getByRole("button", { name: "Close" }));
    await waitFor(() => expect(card.queryByRole("alert")).toBeNull());
  });
});

describe("deleting a channel", () => {
  it("names it, warns that this cannot be undone, and reports success", async () => {
    on("delete", "/notifications/channels/1", () => {
      serveChannels([brokenSlack]);
      return ok({}, "Notification channel deleted");
    });
    const { user } = await open();
    await user.click((await cardOf("On call")).getByRole("button", { name: "Delete: On call" }));
    const dialog = await screen.findByRole("dialog");
    expect(dialog.textContent).toContain("On call");
    expect(dialog.textContent).toContain("This action cannot be undone");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect(await screen.findByText("Notification channel deleted")).toBeTruthy();
    await waitFor(() => expect(screen.queryByRole("article", { name: "On call" })).toBeNull());
  });

  it("shows a failure in the dialog", async () => {
    on("delete", "/notifications/channels/1", () => new HttpResponse(null, { status: 500 }));
    const { user } = await open();
    await user.click((await cardOf("On call")).getByRole("button", { name: "Delete: On call" }));
    const dialog = await screen.findByRole("dialog");
    await user.click(within(dialog).getByRole("button", { name: "Delete" }));
    expect((await within(dialog).findByRole("alert")).textContent).toBe("Failed to delete notification channel");
  });
});
