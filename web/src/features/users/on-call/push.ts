import { basePath } from "../../../lib/base-path.ts";

const worker = `${basePath}/push-worker.js`;

type Subscription = { endpoint: string; keys: { p256dh: string; auth: string } };

/** False in a window without https, and on iOS outside the home screen. */
export const canPush = (): boolean =>
  "serviceWorker" in navigator && "PushManager" in globalThis && "Notification" in globalThis;

/**
 * Asks for permission, and subscribes this browser. A subscription that it has already is replaced: another person may
 * have used it.
 * @returns `null` without permission
 */
export async function subscribe(pushKey: string): Promise<Subscription | null> {
  if ((await Notification.requestPermission()) !== "granted") return null;
  await navigator.serviceWorker.register(worker);
  const { pushManager } = await navigator.serviceWorker.ready;
  await (await pushManager.getSubscription())?.unsubscribe();
  const made = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey });
  const { endpoint, keys } = made.toJSON();
  return { endpoint: endpoint!, keys: { p256dh: keys!["p256dh"]!, auth: keys!["auth"]! } };
}

export async function unsubscribe(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration(worker);
  await (await registration?.pushManager.getSubscription())?.unsubscribe();
  await registration?.unregister();
}

/** SHA-256 of this browser's endpoint in base64url, by which its device is found; `null` without a subscription. */
export async function ownDigest(): Promise<string | null> {
  if (!canPush()) return null;
  const registration = await navigator.serviceWorker.getRegistration(worker);
  const subscription = await registration?.pushManager.getSubscription();
  if (subscription == null) return null;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(subscription.endpoint));
  const text = btoa(String.fromCharCode(...new Uint8Array(hash)));
  return text.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}
