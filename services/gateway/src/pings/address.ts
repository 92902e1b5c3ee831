import type { PingType } from "@sonde/proto/http/monitors/pings";

/** `key` is the end of the URL, which identifies the heartbeat. */
export type PingAddress = {
  key: string;
  type: PingType;
  exitCode?: number;
  bySlug?: { pingKey: string; slug: string };
};

const uuid = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const pingKeyForm = /^[\w-]{1,100}$/;
const slugForm = /^[a-z\d_-]{1,100}$/;
/** A UUID, or a ping key of 22 characters, as at healthchecks.io. No page of the web app starts like this. */
const hostedForm = /^\/(?:[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}|[\w-]{22})(?=[/?]|$)/i;
const tokenForm = /^[\w-]{1,100}$/;
export const isUuid = (text: string): boolean => uuid.test(text);

export const pingPrefix = "/ping/";
export const pushPrefix = "/api/push/";

export const isHostedUrl = (url: string): boolean => hostedForm.test(url);

/** Longer URLs, including the query, are not parsed. */
export const maxUrlLength = 8 * 1024;

/**
 * Parses `/ping/{uuid}` or `/ping/{pingKey}/{slug}`, where `/ping` is optional, followed by `/start`, `/fail`, `/log`
 * or an exit code. Source: https://healthchecks.io/docs/http_api/.
 */
export function readPingPath(path: string): PingAddress | null {
  const begin = path.startsWith(pingPrefix) ? pingPrefix.length : 1;
  const [first = "", ...rest] = path.slice(begin).replace(/\/$/, "").split("/");
  const slug = isUuid(first) ? null : rest.shift();
  const signal = readSignal(rest);
  if (signal === null || slug === undefined) return null;
  if (slug === null) return { key: first.toLowerCase(), ...signal };
  if (!pingKeyForm.test(first) || !slugForm.test(slug)) return null;
  return { key: `${first}/${slug}`, bySlug: { pingKey: first, slug }, ...signal };
}

function readSignal([word, ...more]: string[]): Pick<PingAddress, "type" | "exitCode"> | null {
  if (word === undefined) return { type: "success" };
  if (more.length > 0) return null;
  if (word === "start" || word === "fail" || word === "log") return { type: word };
  const exitCode = /^\d{1,3}$/.test(word) ? Number(word) : 256;
  return exitCode > 255 ? null : { type: exitCode === 0 ? "success" : "fail", exitCode };
}

export function readPushToken(path: string): string | null {
  const token = path.slice(pushPrefix.length).replace(/\/$/, "");
  return tokenForm.test(token) ? token : null;
}
