import { channelTypeNames } from "@sonde/proto/http/notifications/channel-types";
import { channelInput } from "@sonde/proto/http/notifications/channels";
import { screen, waitFor, within } from "@testing-library/react";
import { HttpResponse } from "msw";
import { beforeEach, describe, expect, it } from "vitest";
import * as en from "../../../locales/en-US/index.ts";
import { admin } from "../../../testing/fixtures.ts";
import {
  botToken,
  neededFields,
  serveChannels,
  serveSettings,
  telegram,
  testDelivery,
} from "../../../testing/notifications.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

let sent: unknown[];
beforeEach(() => {
  sent = [];
  serveChannels([telegram]);
  serveSettings();
  on("get", "/notifications/templates", () => ok({ templates: [] }));
});
function takeCreated() {
  on("post", "/notifications/channels", async ({ request }) => {
    const body = (await request.json()) as object;
    sent.push(body);
    const channel = { ...telegram, ...body, id: 8 };
    serveChannels([channel]);
    return ok({ channel } as never, "Notification channel created");
  });
}
async function openCreate(type = "telegram") {
  const app = await renderScreen(`/notifications/channels/create?type=${type}`, { as: admin });
  await screen.findByRole("heading", { name: "Add notification channel" });
  const { user } = app;
  const fill = async (label: string, text: string) => {
    const field = await screen.findByLabelText(new RegExp(`^${label}(?: |\\*|$)`));
    await user.clear(field);
    await user.click(field);
    await user.paste(text);
  };
  const save = async () => user.click(await screen.findByRole("button", { name: "Add channel" }));
  return { ...app, fill, save };
}

describe("adding a channel", () => {
  // All types share one form. form-values.test.ts covers the fields of each.
  it.each(["telegram", "smtp", "webhook", "zulip"] as const)(
    "accepts the required fields of %s and sends valid input",
    async (type) => {
      takeCreated();
      const { fill, save, path } = await openCreate(type);
      await fill("Name", `My ${type}`);
      for (const [label, text] of Object.entries(neededFields[type])) await fill(label, text);
      await save();
      await waitFor(() => expect(path()).toBe("/notifications"));
      expect(await screen.findByText("Notification channel created")).toBeTruthy();
      expect(channelInput.safeParse(sent[0])).toMatchObject({ success: true });
      expect(sent[0]).toMatchObject({ type, name: `My ${type}`, enabled: true });
    },
  );

  it("adds the new channel to both global settings unless disabled", async () => {
    takeCreated();
    const settings = serveSettings();
    const { fill, save, user, path } = await openCreate("ntfy");
    await fill("Name", "Push");
    await fill("Topic", "sonde");
    await save();
    await waitFor(() => expect(path()).toBe("/notifications"));
    expect(settings.map(({ path: scope, body }) => [scope, (body as { channels: number[] }).channels])).toEqual([
      ["global-monitor", [1, 8]],
      ["global-agent", [8]],
    ]);
    await user.click(await screen.findByRole("link", { name: "Add channel" }));
    await screen.findByRole("heading", { name: "Add notification channel" });
    await user.click(screen.getByRole("radio", { name: "ntfy" }));
    await fill("Name", "Other");
    await fill("Topic", "sonde");
    await user.click(screen.getByRole("checkbox", { name: /^Use for all/ }));
    await save();
    await waitFor(() => expect(path()).toBe("/notifications"));
    expect(settings).toHaveLength(2);
  });

  it("reports that the channel was created but the settings were not saved", async () => {
    takeCreated();
    on("put", "/notifications/settings/*", () => new HttpResponse(null, { status: 500 }));
    const { fill, save, user, path } = await openCreate("ntfy");
    await fill("Name", "Push");
    await fill("Topic", "sonde");
    await save();
    await waitFor(() => expect(path()).toBe("/notifications"));
    expect(await screen.findByText(/not to the settings: Failed to save notification settings/)).toBeTruthy();
    // Toasts belong to no page and would remain for the next test.
    await user.click(screen.getByRole("button", { name: "Close" }));
  });

  it("sends a test on request, and shows the result on the card", async () => {
    takeCreated();
    on("post", "/notifications/channels/8/test", () => ok({ delivery: { ...testDelivery, channelId: 8 } } as never));
    const { fill, user } = await openCreate("ntfy");
    await fill("Name", "Push");
    await fill("Topic", "sonde");
    await user.click(screen.getByRole("button", { name: "Add and send test" }));
    const card = within(await screen.findByRole("article", { name: "Push" }));
    expect(await card.findByText("The test was delivered.")).toBeTruthy();
  });

  it("names the channel after its type if no name is entered", async () => {
    takeCreated();
    const { fill, save } = await openCreate("ntfy");
    await fill("Topic", "sonde");
    await save();
    await waitFor(() => expect(sent).toMatchObject([{ name: "ntfy" }]));
  });

  it("shows missing and invalid fields without a request", async () => {
    takeCreated();
    const { fill, save } = await openCreate();
    await fill("Bot token", "no-token");
    await save();
    const note = await screen.findByText("This is not a valid bot token");
    expect(screen.getByLabelText(/^Bot token/).getAttribute("aria-describedby")).toBe(note.id);
    expect(screen.getByText("This is not a valid chat ID")).toBeTruthy();
    expect(screen.getByText("Please fix the highlighted fields")).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it.each([
    ["Sender", "Enter the sender as an address or as Name <address>", "nobody"],
    ["Recipients", "Please enter a valid email address", "nobody"],
  ])("of email rejects a %s that is not an address", async (label, words, text) => {
    const { fill, save } = await openCreate("resend");
    await fill(label, text);
    await save();
    expect(await screen.findByText(words)).toBeTruthy();
    expect(screen.getByText("This field is required")).toBeTruthy();
  });

  it("shows the server's errors next to the fields, expands their section, and keeps the input", async () => {
    on("post", "/notifications/channels", () =>
      fail(400, "invalid", "The request is not valid", [
        { path: "config.url", message: "This address cannot be monitored" },
        { path: "config.headers.0.name", message: "This is not a valid header name" },
      ]),
    );
    const { fill, save, user } = await openCreate("webhook");
    await fill("Name", "Hook");
    await fill("URL", "http://169.254.169.254/");
    await user.click(screen.getByText("More settings"));
    await user.click(screen.getByRole("button", { name: "Add header" }));
    await user.type(screen.getByLabelText("Header name 1"), "X");
    await user.click(screen.getByText("More settings"));
    await save();
    const note = await screen.findByText("This address cannot be monitored");
    expect(screen.getByLabelText(/^URL/).getAttribute("aria-describedby")).toBe(note.id);
    expect(screen.getByText("This is not a valid header name").closest("details")?.open).toBe(true);
    expect(screen.getByLabelText<HTMLInputElement>(/^Name/).value).toBe("Hook");
  });

  it("uses its own text without a server message, and can retry", async () => {
    on("post", "/notifications/channels", () => new HttpResponse(null, { status: 500 }));
    const { fill, save, path } = await openCreate("ntfy");
    await fill("Name", "Push");
    await fill("Topic", "sonde");
    await save();
    expect(await screen.findByText("Failed to save notification channel")).toBeTruthy();
    takeCreated();
    await save();
    await waitFor(() => expect(path()).toBe("/notifications"));
  });

  it("keeps the input of one type while another is selected", async () => {
    const { fill, user } = await openCreate("ntfy");
    await fill("Topic", "sonde");
    await user.click(screen.getByRole("radio", { name: "Slack" }));
    expect(await screen.findByText(en.channelTypes.slack.setup)).toBeTruthy();
    await user.click(screen.getByRole("radio", { name: "ntfy" }));
    expect((await screen.findByLabelText<HTMLInputElement>(/^Topic/)).value).toBe("sonde");
  });

  it("finds a type by typing, also with Enter", async () => {
    const { user, path } = await openCreate("ntfy");
    const shown = () => screen.queryAllByRole("radio").map((radio) => (radio as HTMLInputElement).value);
    expect(shown()).toEqual(channelTypeNames);
    const find = screen.getByRole("searchbox", { name: "Find a type" });
    await user.type(find, "wechat");
    expect(shown()).toEqual(["serverchan"]);
    await user.type(find, "{Enter}");
    expect(await screen.findByLabelText(/^SendKey/)).toBeTruthy();
    expect([path(), sent]).toEqual(["/notifications/channels/create", []]);
    await user.clear(find);
    await user.type(find, "carrier pigeon");
    expect(shown()).toEqual([]);
    expect(screen.getByText(en.channels.noType)).toBeTruthy();
    await user.clear(find);
    expect(shown()).toEqual(channelTypeNames);
  });

  it("hides typed secrets, and reveals them on demand", async () => {
    const { fill, user } = await openCreate("slack");
    const field = screen.getByLabelText<HTMLInputElement>(/^Webhook URL/);
    expect(field.type).toBe("password");
    await fill("Webhook URL", "https://hooks.slack.example/1");
    await user.click(screen.getByRole("button", { name: "Show value" }));
    expect(field.type).toBe("text");
  });

  it("warns before unsaved changes are lost", async () => {
    const { fill, user, path } = await openCreate("slack");
    await fill("Name", "Half done");
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    expect((await screen.findByRole("dialog")).textContent).toContain("Leave without saving?");
    await user.click(screen.getByRole("button", { name: "Leave" }));
    await waitFor(() => expect(path()).toBe("/notifications"));
  });
});

describe("editing a channel", () => {
  async function openEdit() {
    const app = await renderScreen("/notifications/channels/edit/1", { as: admin });
    await screen.findByLabelText(/^Name/);
    return app;
  }
  function takeChanges() {
    on("put", "/notifications/channels/1", async ({ request }) => {
      sent.push(await request.json());
      return ok({ channel: telegram } as never, "Notification channel updated");
    });
  }

  it("shows secrets as masks and sends them back unchanged", async () => {
    takeChanges();
    const { user, path } = await openEdit();
    const secret = screen.getByLabelText<HTMLInputElement>(/^Bot token/);
    expect([secret.type, secret.value]).toEqual(["password", "••••••"]);
    expect(screen.queryByRole("button", { name: "Show value" })).toBeNull();
    await user.type(screen.getByLabelText(/^Name/), " 2");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(path()).toBe("/notifications"));
    expect(sent).toEqual([
      {
        type: "telegram",
        name: "On call 2",
        enabled: true,
        config: { botToken: "••••••", chatId: "-1001234567890", messageThreadId: null, apiBaseUrl: null },
      },
    ]);
  });

  it("replaces a complete mask when a new secret is typed", async () => {
    takeChanges();
    const { user } = await openEdit();
    await user.click(screen.getByLabelText(/^Bot token/));
    await user.keyboard(botToken);
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent[0]).toMatchObject({ config: { botToken } }));
  });

  it("reports next to a secret that it must be entered again", async () => {
    const message = "The address has changed: enter this secret value again";
    on("put", "/notifications/channels/1", () =>
      fail(400, "invalid", "The request is not valid", [{ path: "config.botToken", message }]),
    );
    const { user } = await openEdit();
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    const note = await screen.findByText(message);
    expect(screen.getByLabelText(/^Bot token/).getAttribute("aria-describedby")).toBe(note.id);
  });

  it("reports an unknown channel", async () => {
    await renderScreen("/notifications/channels/edit/99", { as: admin });
    expect((await screen.findByRole("alert")).textContent).toBe("Notification channel does not exist");
  });
});

describe("first use", () => {
  beforeEach(() => serveChannels([]));

  it.each([
    ["en-US", ["Email (Resend)", "Telegram", "Webhook"]],
    ["zh-CN", ["钉钉", "飞书 / Lark", "企业微信"]],
  ] as const)("offers three common types in %s", async (language, names) => {
    await renderScreen("/notifications", { as: admin, language });
    await screen.findByRole("radio", { name: names[0] });
    expect(screen.getAllByRole("radio").map((radio) => radio.getAttribute("aria-labelledby"))).toHaveLength(3);
    for (const name of names) expect(screen.getByRole("radio", { name })).toBeTruthy();
  });

  it("asks for one field, then the provider's other required fields, and tests the new channel", async () => {
    takeCreated();
    const settings = serveSettings();
    on("post", "/notifications/channels/8/test", () => ok({ delivery: { ...testDelivery, channelId: 8 } } as never));
    const { user } = await renderScreen("/notifications", { as: admin });
    await user.click(await screen.findByRole("radio", { name: "Telegram" }));
    expect(screen.queryByLabelText(/^Chat ID/)).toBeNull();
    await user.click(screen.getByLabelText(/^Bot token/));
    await user.paste(botToken);
    await user.type(await screen.findByLabelText(/^Chat ID/), "42");
    await user.click(screen.getByRole("button", { name: "Add and send test" }));
    const card = within(await screen.findByRole("article", { name: "Telegram" }));
    expect(await card.findByText("The test was delivered.")).toBeTruthy();
    expect(await screen.findByText("Notification channel created")).toBeTruthy();
    expect(sent).toMatchObject([{ type: "telegram", name: "Telegram", config: { chatId: "42" } }]);
    expect(settings.map(({ path }) => path)).toEqual(["global-monitor", "global-agent"]);
  });

  it("keeps the input after a failure and shows the reason", async () => {
    on("post", "/notifications/channels", () => new HttpResponse(null, { status: 500 }));
    const { user } = await renderScreen("/notifications", { as: admin });
    await user.click(await screen.findByRole("radio", { name: "Webhook" }));
    await user.click(screen.getByLabelText(/^URL/));
    await user.paste("https://hook.example/");
    await user.click(screen.getByRole("button", { name: "Add channel" }));
    expect(await screen.findByText("Failed to save notification channel")).toBeTruthy();
    expect(screen.getByLabelText<HTMLInputElement>(/^URL/).value).toBe("https://hook.example/");
  });
});
