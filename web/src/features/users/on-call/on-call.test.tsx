import type { ContactsInput } from "@sonde/proto/http/on-call/contacts";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { config, viewer } from "../../../testing/fixtures.ts";
import { renderScreen } from "../../../testing/render-app.tsx";
import { fail, ok, on } from "../../../testing/server.ts";

type Stored = {
  timeZone: string;
  night: { start: string; end: string } | null;
  rules: Record<string, string | number>[];
  subscriptions: { id: number; name: string; digest: string; lastProvenAt?: string; problem?: string }[];
};
const nothing: Stored = { timeZone: "UTC", night: null, rules: [], subscriptions: [] };
const phone = { id: 7, name: "Chrome on Android", digest: "other", lastProvenAt: "2026-11-01T10:00:00Z" };

let stored: Stored;
let sent: ContactsInput[];
beforeEach(() => {
  stored = nothing;
  sent = [];
  on("get", "/me/contacts", () => ok({ contacts: stored, pushKey: "BKey" }));
  on("put", "/me/contacts", async ({ request }) => {
    const body = (await request.json()) as ContactsInput;
    sent.push(body);
    const { subscriptions: list, ...rest } = body;
    const subscriptions = list?.map((each) => {
      const kept = "id" in each ? stored.subscriptions.find(({ id }) => id === each.id) : undefined;
      return kept ?? { id: 9, name: "name" in each ? each.name : "", digest: "owk" };
    });
    stored = { ...stored, ...(rest as unknown as Stored), ...(subscriptions && { subscriptions }) };
    return ok({ contacts: stored, pushKey: "BKey" }, "Contacts saved");
  });
});

/** A browser that can receive notifications. Its endpoint's digest is not that of a stored device. */
function stubBrowser(permission: "granted" | "denied") {
  const toJSON = () => ({ endpoint: "https://fcm.googleapis.com/1", keys: { p256dh: "B", auth: "A" } });
  const unsubscribe = vi.fn(async () => true);
  let subscription: object | null = null;
  const subscribe = vi.fn(async (_options: object) => (subscription = { toJSON, unsubscribe, endpoint: "own" }));
  const registration = {
    pushManager: { getSubscription: async () => subscription, subscribe },
    unregister: vi.fn(async () => true),
  };
  const register = vi.fn(async (_script: string) => registration);
  const container = { register, ready: Promise.resolve(registration), getRegistration: async () => registration };
  vi.stubGlobal("PushManager", class {});
  vi.stubGlobal("Notification", { requestPermission: async () => permission });
  vi.stubGlobal("crypto", { subtle: { digest: async () => Uint8Array.from(atob("owk="), (c) => c.charCodeAt(0)) } });
  Object.defineProperty(navigator, "serviceWorker", { value: container, configurable: true });
  return { register, subscribe, unsubscribe };
}

async function open() {
  const app = await renderScreen("/profile/on-call", { as: viewer });
  await screen.findByRole("heading", { name: "Devices" });
  const press = async (name: string | RegExp) => app.user.click(await screen.findByRole("button", { name }));
  const contact = async (number: number) => within(await screen.findByRole("listitem", { name: `Contact ${number}` }));
  return { ...app, press, contact };
}

describe("devices", () => {
  it("subscribes this browser, which becomes the first contact", async () => {
    const { register, subscribe } = stubBrowser("granted");
    const { press } = await open();
    expect(register).not.toHaveBeenCalled();
    await press("Enable on this device");
    expect(await screen.findByText("This device")).toBeTruthy();
    expect(register).toHaveBeenCalledWith("/push-worker.js");
    expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: "BKey" });
    expect(sent).toEqual([
      {
        timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        language: "en-US",
        night: null,
        rules: [{ urgency: "high", after: 0, via: "push" }],
        subscriptions: [
          {
            endpoint: "https://fcm.googleapis.com/1",
            keys: { p256dh: "B", auth: "A" },
            name: expect.any(String) as string,
          },
        ],
      },
    ]);
    await waitFor(() => expect(screen.queryByRole("button", { name: "Enable on this device" })).toBeNull());
  });

  it("says that the browser blocks notifications", async () => {
    stubBrowser("denied");
    const { press } = await open();
    await press("Enable on this device");
    expect((await screen.findByText(/Notifications are blocked/)).closest("[role=alert]")).toBeTruthy();
    expect(sent).toEqual([]);
  });

  it("shows where nothing arrives, and removes a device", async () => {
    stored = {
      ...nothing,
      subscriptions: [{ ...phone }, { id: 8, name: "Firefox on Linux", digest: "x", problem: "gone" }],
    };
    const { press } = await open();
    expect(screen.getByText(/Last delivered/)).toBeTruthy();
    expect(screen.getByText("Not working: gone")).toBeTruthy();
    await press("Remove Firefox on Linux");
    await waitFor(() => expect(screen.queryByText("Firefox on Linux")).toBeNull());
    expect(sent[0]?.subscriptions).toEqual([{ id: 7 }]);
  });

  it("explains why a browser cannot be enabled", async () => {
    Object.defineProperty(navigator, "serviceWorker", { value: undefined, configurable: true });
    delete (navigator as { serviceWorker?: unknown }).serviceWorker;
    await open();
    expect(screen.getByText(/can't receive notifications here/)).toBeTruthy();
    expect(screen.queryByRole("button", { name: "Enable on this device" })).toBeNull();
  });
});

describe("contacts", () => {
  it("are saved with their address and the night", async () => {
    const { press, contact, user } = await open();
    await press("Add contact");
    const first = await contact(1);
    await user.selectOptions(first.getByLabelText("Through"), "SMS");
    await user.type(first.getByLabelText("Phone number"), "+15558675310");
    await user.clear(first.getByLabelText("After minutes"));
    await user.type(first.getByLabelText("After minutes"), "5");
    await user.selectOptions(first.getByLabelText("Incidents"), "Low urgency");
    await user.click(screen.getByRole("checkbox", { name: /^Night/ }));
    await press("Save contacts");
    expect(await screen.findByText("Contacts saved")).toBeTruthy();
    expect(sent).toEqual([
      {
        timeZone: "UTC",
        handoff: true,
        night: { start: "22:00", end: "07:00" },
        rules: [{ urgency: "low", via: "sms", after: 5, to: "+15558675310" }],
      },
    ]);
  });

  it("can be phone calls if the provider can ask Sonde what to say, and a test says to press 1", async () => {
    stored = { ...nothing, rules: [{ urgency: "high", after: 5, via: "voice", to: "+15558675310" }] };
    on("post", "/me/contacts/test", () => ok({ delivery: { status: "delivered", attempts: [] } }));
    const { press, contact } = await open();
    expect((await contact(1)).getByLabelText<HTMLInputElement>("Phone number").value).toBe("+15558675310");
    await press("Test");
    expect(await screen.findByText("Your phone will ring. Press 1 to confirm.")).toBeTruthy();
  });

  it.each([
    ["https://up.example", true],
    [null, false],
  ])("can be phone calls with PUBLIC_URL %s: %s", async (publicUrl, offered) => {
    on("get", "/config", () => ok({ ...config, publicUrl }));
    const { press, contact } = await open();
    await press("Add contact");
    const first = await contact(1);
    await waitFor(() => expect(first.queryByRole("option", { name: "Phone call" }) !== null).toBe(offered));
    expect(first.getByRole("option", { name: "SMS" })).toBeTruthy();
  });

  it("have a language, and a message at the start of a shift that can be switched off", async () => {
    const { press, user } = await open();
    await user.click(screen.getByRole("checkbox", { name: /^Message when my shift begins/ }));
    await user.selectOptions(screen.getByLabelText("Language of messages to me"), "中文");
    await press("Save contacts");
    expect(await screen.findByText("Contacts saved")).toBeTruthy();
    expect(sent).toEqual([{ timeZone: "UTC", language: "zh-CN", handoff: false, night: null, rules: [] }]);
  });

  it("show errors of the form and of the server at their contact", async () => {
    const message = "Your account has no email address";
    on("put", "/me/contacts", () => fail(422, "impossible", message, [{ path: "rules.0.to", message }]));
    const { press, contact, user } = await open();
    await press("Add contact");
    const first = await contact(1);
    await user.selectOptions(first.getByLabelText("Through"), "Email");
    await user.clear(first.getByLabelText("After minutes"));
    await press("Save contacts");
    await waitFor(() => expect(first.getByLabelText("After minutes").getAttribute("aria-invalid")).toBe("true"));
    await user.type(first.getByLabelText("After minutes"), "0");
    await press("Save contacts");
    await waitFor(() => expect(first.getByLabelText("Email address").getAttribute("aria-invalid")).toBe("true"));
  });

  it("can be tested once saved, with the result", async () => {
    stored = { ...nothing, rules: [{ urgency: "high", after: 0, via: "push" }] };
    const tested: unknown[] = [];
    let status = "delivered";
    on("post", "/me/contacts/test", async ({ request }) => {
      tested.push(await request.json());
      return ok({ delivery: { status, attempts: [{ answer: "HTTP 410" }] } });
    });
    const { press, contact, user } = await open();
    await press("Test");
    expect(await screen.findByText("Test delivered")).toBeTruthy();
    expect(tested).toEqual([{ rule: 0 }]);
    status = "failed";
    await press("Test");
    expect(await screen.findByText("Test not delivered: HTTP 410")).toBeTruthy();
    await user.selectOptions((await contact(1)).getByLabelText("Incidents"), "Low urgency");
    await waitFor(() => expect(screen.queryByRole("button", { name: "Test" })).toBeNull());
  });
});
