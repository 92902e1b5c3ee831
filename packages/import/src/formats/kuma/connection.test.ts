import { expect, test } from "vitest";
import { monitorOf, type Row } from "../testing/kuma.ts";

const proxy = { id: 3, user_id: 1, protocol: "http", host: "proxy.example.com", port: 3128, auth: 0 };
const login = { auth: 1, username: "sonde", password: "s3cret" };
const through = (row: Row) => monitorOf({ proxy_id: 3 }, { more: { proxy: [{ ...proxy, ...row }] } });

test.each([
  [{}, { url: "http://proxy.example.com:3128" }],
  [
    { protocol: "https", ...login },
    { url: "https://proxy.example.com:3128", username: "sonde", password: "s3cret" },
  ],
  [{ protocol: "socks", host: "::1" }, { url: "socks5h://[::1]:3128" }],
  [{ protocol: "socks5" }, { url: "socks5://proxy.example.com:3128" }],
])("its proxy is imported: %o", (row, wanted) => {
  const { check, why } = through(row);
  expect(why).toEqual([]);
  expect(check["proxy"]).toEqual(wanted);
});

test("a disabled proxy is ignored, and a SOCKS 4 proxy is refused", () => {
  expect(through({ active: 0 }).check).not.toHaveProperty("proxy");
  expect(monitorOf({ proxy_id: 9 }).check).not.toHaveProperty("proxy");
  expect(through({ protocol: "socks4" }).why).toEqual(["It uses a socks4 proxy, which Sonde does not support"]);
});

test("the client certificate and the OAuth 2 client are imported", () => {
  const mutual = monitorOf({ auth_method: "mtls", tls_cert: "CERT", tls_key: "KEY", tls_ca: "CA" });
  expect(mutual.check["clientCertificate"]).toEqual({ cert: "CERT", key: "KEY" });
  expect(mutual.notes).toContain("Its certificate must be valid");
  const client = monitorOf({
    auth_method: "oauth2-cc",
    oauth_client_id: "sonde",
    oauth_client_secret: "s3cret",
    oauth_token_url: "https://login.example.com/token",
    oauth_scopes: "orders",
    oauth_audience: "https://api.example.com",
    oauth_auth_method: "client_secret_post",
  });
  expect(client.check["oauth"]).toEqual({
    tokenUrl: "https://login.example.com/token",
    clientId: "sonde",
    clientSecret: "s3cret",
    scope: "orders",
    audience: "https://api.example.com",
    authentication: "body",
  });
});

test("the address family is imported", () => {
  const { check, notes } = monitorOf({ ip_family: "ipv6" });
  expect(check["ipFamily"]).toBe("ipv6");
  expect(notes.filter((note) => note.includes("IPv4"))).toEqual([]);
});
