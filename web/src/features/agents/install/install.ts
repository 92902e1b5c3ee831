export const platforms = ["linux", "macos", "windows"] as const;
export type Platform = (typeof platforms)[number];
export type InstallWishes = { server: string; intervalSeconds: number };
type InstallSteps = { download: string; run: string };

const maxIntervalSeconds = 3600;

/** Returns the server URL as agents expect it, without a trailing slash, or `null` if invalid. */
export function readServer(typed: string): string | null {
  if (!URL.canParse(typed.trim())) return null;
  const { protocol, origin, pathname, search, hash, username } = new URL(typed.trim());
  if ((protocol !== "http:" && protocol !== "https:") || search !== "" || hash !== "" || username !== "") return null;
  // The URL is quoted in a shell command.
  return (origin + pathname).replace(/\/+$/, "").replaceAll("'", "%27");
}

/** Parses whole seconds. `null` if agents do not accept the value. */
export function readInterval(typed: string): number | null {
  const seconds = Number(typed);
  return /^\d+$/.test(typed.trim()) && seconds >= 1 && seconds <= maxIntervalSeconds ? seconds : null;
}

export function isLoopbackServer(server: string): boolean {
  const { hostname } = new URL(server);
  return hostname === "localhost" || hostname === "[::1]" || hostname.startsWith("127.");
}

export function fillIn(text: string, { server, intervalSeconds }: InstallWishes): string {
  const answered = /--server '([^']+)'/.exec(text)?.[1];
  const isPlain = server.startsWith("http:") && !isLoopbackServer(server);
  const filled = text
    .replaceAll(/--interval \d+/g, `--interval ${intervalSeconds}`)
    .replaceAll(/--server '[^']+'(?: --allow-http)?/g, () => `--server '${server}'${isPlain ? " --allow-http" : ""}`);
  // If Sonde serves the downloads, they come from the same server, and only over its protocol.
  const own = `'${answered}/downloads'`;
  if (answered === undefined || !filled.includes(own)) return filled;
  const curl = server.startsWith("https:") ? "curl --proto '=https' -f" : "curl -f";
  return filled.replaceAll(own, () => `'${server}/downloads'`).replaceAll(/curl (?:--proto '=https' )?-f/g, () => curl);
}

export function splitSteps(text: string): InstallSteps {
  const second = /^#.*\b2\. .*$/m.exec(text);
  if (second === null) return { download: "", run: text.trim() };
  return { download: text.slice(0, second.index).trim(), run: text.slice(second.index).trim() };
}
