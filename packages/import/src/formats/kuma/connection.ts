import type { KumaRow } from "@sonde/proto/http/import";
import { hostAndPort } from "@sonde/proto/http/monitors/checks/fields";
import type { TranslatableText } from "@sonde/proto/http/reasons/import-reasons";
import { flag, idOf, type KumaContext, number, text } from "./rows.ts";

type ReadConnection = { fields: Record<string, unknown>; notes: TranslatableText[] };
type Refused = { refused: TranslatableText };

/** Uptime Kuma's library, socks-proxy-agent, lets the proxy resolve names for `socks`. */
const schemes: Readonly<Record<string, string>> = {
  http: "http",
  https: "https",
  socks: "socks5h",
  socks5: "socks5",
  socks5h: "socks5h",
};

export function readConnection(row: KumaRow, around: KumaContext): ReadConnection | Refused {
  const proxy = readProxy(around.proxies.get(idOf(row, "proxy_id")));
  if (proxy !== null && "refused" in proxy) return proxy;
  const method = text(row, "auth_method");
  const family = text(row, "ip_family");
  const isMutual = method === "mtls" && text(row, "tls_cert") !== "";
  const notes: TranslatableText[] =
    isMutual && text(row, "tls_ca") !== "" ? [{ text: "Its certificate must be valid" }] : [];
  return {
    fields: {
      ...(proxy !== null && { proxy }),
      ...(isMutual && { clientCertificate: { cert: text(row, "tls_cert"), key: text(row, "tls_key") } }),
      ...(method === "oauth2-cc" && { oauth: readClient(row) }),
      ...(family !== "" && { ipFamily: family.endsWith("6") ? "ipv6" : "ipv4" }),
    },
    notes,
  };
}

/** Ignores a disabled proxy, like Uptime Kuma. */
function readProxy(row: KumaRow | undefined): object | Refused | null {
  if (row === undefined || !flag(row, "active", true)) return null;
  const protocol = text(row, "protocol").toLowerCase();
  const scheme = Object.hasOwn(schemes, protocol) ? schemes[protocol] : undefined;
  if (scheme === undefined) {
    const params = { protocol: protocol.slice(0, 40) };
    return { refused: { text: "It uses a {protocol} proxy, which Sonde does not support", params } };
  }
  const [username, password] = flag(row, "auth") ? [text(row, "username"), text(row, "password")] : ["", ""];
  return {
    url: `${scheme}://${hostAndPort(text(row, "host").trim(), number(row, "port") ?? 0)}`,
    ...(username !== "" && { username }),
    ...(username !== "" && password !== "" && { password }),
  };
}

function readClient(row: KumaRow): object {
  const scope = text(row, "oauth_scopes").trim();
  const audience = text(row, "oauth_audience").trim();
  return {
    tokenUrl: text(row, "oauth_token_url").trim(),
    clientId: text(row, "oauth_client_id"),
    clientSecret: text(row, "oauth_client_secret"),
    ...(scope !== "" && { scope }),
    ...(audience !== "" && { audience }),
    authentication: text(row, "oauth_auth_method") === "client_secret_post" ? "body" : "basic",
  };
}
