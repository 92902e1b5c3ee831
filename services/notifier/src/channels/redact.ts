import { maskSecrets, type PlainConfig } from "@sonde/domain/sealed-config";
import { type ChannelTypeName, channelTypeOf } from "@sonde/proto/http/notifications/channel-types";
import { cut } from "./text.ts";
import { secretMask } from "@sonde/proto/http/secrets";

const maxCharacters = 200;
/** Shorter strings occur in ordinary text. */
const shortestSecret = 4;
/** The provider may have truncated a text of this length. */
const cutFrom = 150;
const maxAnswerLength = 20_000;

/**
 * Returns what is stored of a provider's response: one line of at most 200 characters without the channel's secrets,
 * whole or partial. Providers echo requests, so addresses count as secrets, and so does each part of them that may be a
 * token.
 */
export function redact(answer: string, secrets: readonly string[]): string {
  let text = answer
    .slice(0, maxAnswerLength)
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim();
  for (const secret of secrets) text = text.replaceAll(secret, secretMask);
  return cut(withoutCutSecret(text, secrets), maxCharacters, { unit: "utf16" });
}

export function secretTexts(type: ChannelTypeName, config: PlainConfig): string[] {
  const { secrets } = channelTypeOf(type);
  const own = secrets(config).map(({ path }) => String(path.reduce<unknown>(step, config)));
  const addresses = Object.values(maskSecrets(config)).filter((value): value is string => typeof value === "string");
  const parts = [...own, ...addresses].flatMap((text) => [...(own.includes(text) ? [text] : []), ...partsOf(text)]);
  const spelt = parts.flatMap((text) => [text, encodeURIComponent(text), JSON.stringify(text).slice(1, -1)]);
  return [...new Set(spelt)].filter((text) => text.length >= shortestSecret).sort((a, b) => b.length - a.length);
}

const step = (node: unknown, name: string | number) => (node as Record<string | number, unknown>)[name];

/** Returns all after the host, long path segments, query values, user name and password. */
function partsOf(text: string): string[] {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return [];
  const { pathname, search, searchParams, username, password } = new URL(text);
  const behind = `${pathname}${search}`;
  const segments = pathname.split("/").filter((segment) => segment.length >= 8);
  const values = [...searchParams.values()].filter((value) => value.length >= 8);
  return [...(behind.length >= 8 ? [text, behind] : []), ...segments, ...values, username, password];
}

/** Also removes the beginning of a secret at the end of the text, since the provider may have truncated it there. */
function withoutCutSecret(text: string, secrets: readonly string[]): string {
  const isCut = text.endsWith("…");
  if (!isCut && text.length < cutFrom) return text;
  const body = isCut ? text.slice(0, -1) : text;
  for (const secret of secrets) {
    for (let length = Math.min(secret.length - 1, body.length); length >= shortestSecret; length -= 1) {
      if (body.endsWith(secret.slice(0, length))) return `${body.slice(0, -length)}${secretMask}${isCut ? "…" : ""}`;
    }
  }
  return text;
}
