/**
 * An address as people type it, with `https://` where it names no scheme. What has one, and what is no address with it
 * either, stays as it was typed.
 */
export function withScheme(typed: string): string {
  const text = typed.trim();
  if (text === "" || /^(?:[a-z][a-z\d+.-]*:\/\/|https?:)/i.test(text)) return text;
  const whole = `https://${text.replace(/^\/\//, "")}`;
  return URL.canParse(whole) ? whole : text;
}

/** The host of an address as it was typed, without `www.`; empty while there is none, or where it holds a password. */
export function typedHost(typed: string): string {
  const text = typed.trim().toLowerCase();
  // While a scheme is being typed it is no host.
  if ("https://".startsWith(text) || "http://".startsWith(text)) return "";
  const whole = withScheme(typed);
  const [, authority = ""] = /^https?:\/\/([^/?#]*)/i.exec(whole) ?? [];
  if (!URL.canParse(whole) || authority.includes("@")) return "";
  return authority.replace(/^www\./i, "");
}

/** A host and its port as one text; an IPv6 address goes in brackets. */
export function hostAndPort(host: string, port: string): string {
  const name = host.trim();
  if (name === "" || port.trim() === "") return name;
  return `${name.includes(":") ? `[${name}]` : name}:${port.trim()}`;
}
