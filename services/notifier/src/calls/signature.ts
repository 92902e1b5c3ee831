import { createHmac, timingSafeEqual } from "node:crypto";

export type SignedRequest = {
  /** As Sonde gave it to Twilio. */
  url: string;
  /** Names and values of the body, in any order. */
  form: readonly (readonly [string, string])[];
  signature: string;
};

/**
 * Checks X-Twilio-Signature: HMAC-SHA1 of the URL and the fields sorted by name, in base64
 * (twilio.com/docs/usage/webhooks/webhooks-security).
 */
export function isSigned(authToken: string, { url, form, signature }: SignedRequest): boolean {
  const fields = form.toSorted(([one], [other]) => (one < other ? -1 : Number(one > other))).flat();
  const given = Buffer.from(signature);
  return spellings(url).some((spelling) => {
    const text = spelling + fields.join("");
    const expected = Buffer.from(createHmac("sha1", authToken).update(text).digest("base64"));
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

/** Twilio signs some addresses with the port and some without. */
function spellings(url: string): string[] {
  const [, scheme, host, port, rest] = /^(https?):\/\/(\[[^\]]+\]|[^/:]+)(:\d+)?(.*)$/i.exec(url) ?? [];
  const other = port === undefined ? (scheme === "https" ? ":443" : ":80") : "";
  return [url, `${scheme}://${host}${other}${rest}`];
}
