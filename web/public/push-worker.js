// Shows notifications, and does what their buttons say. Registered only on devices that enabled them; it handles no
// requests. The messages are written by services/notifier/src/channels/types/push/web-push.ts.

const linkPath = "api/incidents/acknowledge-link";
const paths = { acknowledge: linkPath, snooze: `${linkPath}/snooze` };
/** An address of Sonde, which may be below a path. */
const own = (path) => new URL(path, self.registration.scope).href;
const outcomes = { acknowledge: "acknowledged", snooze: "snoozed" };

self.addEventListener("push", (event) => event.waitUntil(show(read(event.data))));

self.addEventListener("notificationclick", (event) => {
  const { notification, action } = event;
  notification.close();
  event.waitUntil(action in paths ? act(action, notification) : open(notification.data));
});

/** The browser replaced the subscription, which the old endpoint proves: a worker has no session. */
self.addEventListener("pushsubscriptionchange", (event) => event.waitUntil(renew(event)));

/** A push without a notification may cost the permission, so an unreadable one is shown too. */
function read(data) {
  try {
    return data.json();
  } catch {
    return { title: "Sonde" };
  }
}

async function show({ title, body, tag, url, lang, badge, words }) {
  await self.registration.showNotification(title, {
    body,
    lang,
    icon: own("icon-192.png"),
    ...(tag === undefined ? {} : { tag, renotify: true }),
    requireInteraction: words !== undefined,
    actions: words === undefined ? [] : ["acknowledge", "snooze"].map((action) => ({ action, title: words[action] })),
    data: { title, tag, url, lang, words },
  });
  if (badge === 0) await self.navigator.clearAppBadge?.();
  else if (badge !== undefined) await self.navigator.setAppBadge?.(badge);
}

async function act(action, { data }) {
  const token = new URL(data.url, self.registration.scope).searchParams.get("token");
  const isDone = await post(paths[action], { token }).catch(() => false);
  const title = data.words[isDone ? outcomes[action] : "failed"];
  await self.registration.showNotification(title, {
    body: data.title,
    lang: data.lang,
    tag: data.tag,
    icon: own("icon-192.png"),
    silent: isDone,
    data,
  });
}

/** In a new window, because an open one may have unsaved work. Only the path counts: the app is where this worker is. */
async function open({ url } = {}) {
  const { pathname, search } = new URL(url ?? "incidents", self.registration.scope);
  await self.clients.openWindow(pathname + search);
}

async function renew({ oldSubscription, newSubscription }) {
  if (!oldSubscription) return;
  const { applicationServerKey } = oldSubscription.options;
  const subscription =
    newSubscription ?? (await self.registration.pushManager.subscribe({ userVisibleOnly: true, applicationServerKey }));
  const { endpoint, keys } = subscription.toJSON();
  await post("api/me/contacts/renew-device", { old: oldSubscription.endpoint, endpoint, keys });
}

async function post(path, body) {
  const headers = { "content-type": "application/json" };
  return (await fetch(own(path), { method: "POST", headers, body: JSON.stringify(body) })).ok;
}
