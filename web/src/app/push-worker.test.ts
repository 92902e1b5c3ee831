import { readFileSync } from "node:fs";
import { createContext, runInContext } from "node:vm";
import { expect, test, vi } from "vitest";

const script = readFileSync(new URL("../../public/push-worker.js", import.meta.url), "utf8");
const words = {
  acknowledge: "Acknowledge",
  snooze: "Snooze 1 h",
  acknowledged: "Acknowledged",
  snoozed: "Snoozed for 1 hour",
  failed: "Not saved",
};
const url = "https://sonde.example.com/uptime/acknowledge?token=v2.abc&lang=en-US";
const alert = { title: "shop is down", body: "refused", tag: "m1", url, lang: "en-US", badge: 2, words };

/** Runs the worker with a fake scope. `dispatch` resolves when the worker is done with the event. */
function start({ ok = true } = {}) {
  const listeners = new Map<string, (event: object) => void>();
  const showNotification = vi.fn(async (_title: string, _options: Record<string, unknown>) => undefined);
  const fetched = vi.fn(async (_path: string, _init: { body: string }) => ({ ok }));
  const subscribe = vi.fn(async () => ({
    toJSON: () => ({ endpoint: "https://fcm.googleapis.com/new", keys: { p256dh: "B", auth: "A" } }),
  }));
  const [setAppBadge, clearAppBadge, openWindow] = [vi.fn(), vi.fn(), vi.fn()];
  const self = {
    location: { origin: "https://sonde.example.com" },
    navigator: { setAppBadge, clearAppBadge },
    registration: { showNotification, pushManager: { subscribe }, scope: "https://sonde.example.com/uptime/" },
    clients: { openWindow },
    addEventListener: (name: string, listener: (event: object) => void) => void listeners.set(name, listener),
  };
  runInContext(script, createContext({ self, fetch: fetched, URL }));
  const dispatch = async (name: string, event: object) => {
    let done: Promise<unknown> = Promise.resolve();
    listeners.get(name)?.({ ...event, waitUntil: (work: Promise<unknown>) => void (done = work) });
    await done;
  };
  const push = (data: unknown) => dispatch("push", { data: { json: () => data } });
  const shown = () => showNotification.mock.lastCall!;
  const click = (action: string) => {
    const close = vi.fn();
    return dispatch("notificationclick", { action, notification: { data: shown()[1]["data"], close } }).then(
      () => close,
    );
  };
  return { push, click, dispatch, shown, fetched, setAppBadge, clearAppBadge, openWindow, subscribe };
}

test("a push is shown with its buttons, and counts open incidents on the icon", async () => {
  const { push, shown, setAppBadge } = start();
  await push(alert);
  const [title, options] = shown();
  expect(title).toBe("shop is down");
  expect(options).toMatchObject({ body: "refused", tag: "m1", renotify: true, requireInteraction: true });
  expect(options["actions"]).toEqual([
    { action: "acknowledge", title: "Acknowledge" },
    { action: "snooze", title: "Snooze 1 h" },
  ]);
  expect(setAppBadge).toHaveBeenCalledWith(2);
});

test("a recovery has no buttons, and the last one clears the icon", async () => {
  const { push, shown, clearAppBadge } = start();
  await push({ ...alert, words: undefined, badge: 0 });
  expect(shown()[1]).toMatchObject({ requireInteraction: false, actions: [] });
  expect(clearAppBadge).toHaveBeenCalledOnce();
});

test("an unreadable push is shown too", async () => {
  const { dispatch, shown } = start();
  await dispatch("push", { data: null });
  expect(shown()[0]).toBe("Sonde");
});

test.each([
  ["acknowledge", "https://sonde.example.com/uptime/api/incidents/acknowledge-link", "Acknowledged"],
  ["snooze", "https://sonde.example.com/uptime/api/incidents/acknowledge-link/snooze", "Snoozed for 1 hour"],
])("the button %s uses the message's link, and shows the result in its place", async (action, path, result) => {
  const { push, click, shown, fetched } = start();
  await push(alert);
  expect(await click(action)).toHaveBeenCalledOnce();
  expect(fetched.mock.lastCall?.[0]).toBe(path);
  expect(JSON.parse(fetched.mock.lastCall![1].body)).toEqual({ token: "v2.abc" });
  expect(shown()[0]).toBe(result);
  expect(shown()[1]).toMatchObject({ body: "shop is down", tag: "m1", silent: true });
});

test("a refused button says so, and a tap then opens the link", async () => {
  const { push, click, shown, openWindow } = start({ ok: false });
  await push(alert);
  await click("acknowledge");
  expect(shown()[0]).toBe("Not saved");
  expect(shown()[1]).toMatchObject({ silent: false });
  await click("");
  expect(openWindow).toHaveBeenCalledWith("/uptime/acknowledge?token=v2.abc&lang=en-US");
});

test("a replaced subscription is registered in place of the old one", async () => {
  const { dispatch, fetched, subscribe } = start();
  const oldSubscription = { endpoint: "https://fcm.googleapis.com/old", options: { applicationServerKey: "key" } };
  await dispatch("pushsubscriptionchange", { oldSubscription, newSubscription: null });
  expect(subscribe).toHaveBeenCalledWith({ userVisibleOnly: true, applicationServerKey: "key" });
  expect(fetched.mock.lastCall?.[0]).toBe("https://sonde.example.com/uptime/api/me/contacts/renew-device");
  expect(JSON.parse(fetched.mock.lastCall![1].body)).toEqual({
    old: "https://fcm.googleapis.com/old",
    endpoint: "https://fcm.googleapis.com/new",
    keys: { p256dh: "B", auth: "A" },
  });
});
