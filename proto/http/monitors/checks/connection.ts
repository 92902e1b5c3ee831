import * as z from "zod";
import { linePattern, textOf, trimmedLine } from "../../text.ts";
import { secretMask } from "../../secrets.ts";
import type { FieldFault } from "../../reasons/issues.ts";
import { host, password, checkUsername } from "./fields.ts";
import type { KeyPair, LocatedLiteral, SecretText } from "./kind.ts";
import { hostOfUrl, monitorUrl, originOfUrl } from "./url.ts";

export const proxySchemes = ["http", "https", "socks5", "socks5h"] as const;
export type ProxyScheme = (typeof proxySchemes)[number];

const proxyMessage =
  "Please enter the address of a proxy, such as http://proxy.example.com:3128 or socks5://10.0.0.1:1080";
const proxyUrl = trimmedLine()
  .min(1, proxyMessage)
  .max(300, "The address is too long (at most {max} characters)")
  .superRefine((text, ctx) => {
    if (text === "") return;
    const url = URL.canParse(text) ? new URL(text) : null;
    if (url === null || !/^(?:https?|socks5h?):\/\//i.test(text) || url.hostname === "") {
      ctx.addIssue({ code: "custom", message: proxyMessage });
    } else if (url.username !== "" || url.password !== "") {
      ctx.addIssue({ code: "custom", message: "The address cannot contain a username or password" });
    } else if (!/^\/?$/.test(url.pathname) || url.search !== "" || url.hash !== "") {
      ctx.addIssue({ code: "custom", message: proxyMessage });
    }
  })
  .meta({
    format: "uri",
    pattern: String.raw`^([Hh][Tt][Tt][Pp][Ss]?|[Ss][Oo][Cc][Kk][Ss]5[Hh]?)://[^\s/?#@]+/?$`,
    description: "http, https, socks5 (the runner resolves the target's name) or socks5h (the proxy resolves it).",
  });

/** RFC 1929 encodes each length in one byte. */
const maxSocksBytes = 255;
const bytesOf = (text: string) => new TextEncoder().encode(text).length;

const proxy = z
  .strictObject({ url: proxyUrl, username: checkUsername.optional(), password: password.optional() })
  .superRefine(({ url, ...login }, ctx) => {
    const isSocks = /^socks/i.test(url);
    for (const name of ["username", "password"] as const) {
      if (isSocks && bytesOf(login[name] ?? "") > maxSocksBytes) {
        const params = { max: maxSocksBytes };
        ctx.addIssue({
          code: "custom",
          path: [name],
          message: "The text is too long (maximum {max} bytes)",
          params,
        });
      }
    }
    if (login.password !== undefined && login.username === undefined) {
      ctx.addIssue({ code: "custom", path: ["username"], message: "A password requires a username" });
    } else if (!isSocks && login.username?.includes(":") === true) {
      ctx.addIssue({ code: "custom", path: ["username"], message: "The username cannot contain a colon" });
    }
  });

const pem = (max: number) => textOf({ min: 1, max }, { min: "Please enter text" });

const clientCertificate = z.strictObject({
  cert: pem(32_768)
    .refine(
      (text) => !text.includes("PRIVATE KEY-----"),
      "This contains a private key: enter it in the private key field",
    )
    .meta({ description: "PEM certificate, followed by any intermediate certificates." }),
  key: pem(16_384).meta({
    description: `Unencrypted PEM private key. Stored encrypted. Returned as ${secretMask}; sending the mask back keeps the stored value.`,
  }),
});

export const tokenRequests = ["basic", "body"] as const;
export type TokenRequest = (typeof tokenRequests)[number];
const line = (max: number) => trimmedLine().min(1, "Please enter text").max(max).meta({ pattern: linePattern });

/** Client credentials (RFC 6749 §4.4). */
const oauth = z.strictObject({
  tokenUrl: monitorUrl,
  clientId: line(500),
  clientSecret: textOf({ min: 1, max: 2000 }, { min: "Please enter text" }).meta({
    description: `Stored encrypted and sent only to the token URL. Returned as ${secretMask}; sending the mask back keeps the stored value.`,
  }),
  scope: line(1000).optional(),
  audience: line(1000).optional(),
  authentication: z
    .enum(tokenRequests)
    .default("basic")
    .meta({ description: "How id and secret are sent: in a header (HTTP Basic) or in the body." }),
});

export const ipFamilies = ["ipv4", "ipv6"] as const;
export type IpFamily = (typeof ipFamilies)[number];

/** How a request reaches its server, and its credentials. */
export const connectionFields = {
  proxy: proxy.optional().meta({
    description:
      "Proxy for all requests, including token requests. Its certificate must be valid. The target's addresses are checked only if the runner resolves its name; http, https and socks5h proxies resolve it themselves.",
  }),
  clientCertificate: clientCertificate.optional().meta({ description: "Presented only to the address of the check." }),
  oauth: oauth.optional().meta({
    description:
      "OAuth 2 client credentials. The token is cached until it expires and sent as `Authorization: Bearer`, replacing a header of that name.",
  }),
  ipFamily: z
    .enum(ipFamilies)
    .optional()
    .meta({ description: "Restricts connections to this address family; with a proxy, connections to the proxy." }),
  servername: host.optional().meta({
    description:
      "Server name to request (SNI) and to verify the certificate against, instead of the host of the https address.",
  }),
  h2c: z
    .boolean()
    .optional()
    .meta({ description: "Uses HTTP/2 without TLS for an http address, with prior knowledge (RFC 9113 §3.3)." }),
};

/** Errors for connection settings that do not apply to the address's scheme. */
export function faultsOfConnection({ url, servername, h2c }: Connection): FieldFault[] {
  const isSecure = /^https:/i.test(url);
  return [
    ...(servername !== undefined && !isSecure
      ? [{ path: "servername", message: "Only https addresses can have a server name" } as const]
      : []),
    ...(h2c === true && isSecure
      ? [{ path: "h2c", message: "Only http addresses can use HTTP/2 without TLS" } as const]
      : []),
  ];
}

type Connection = {
  url: string;
  proxy?: { url: string; password?: string | undefined } | undefined;
  clientCertificate?: { cert: string; key: string } | undefined;
  oauth?: { tokenUrl: string } | undefined;
  servername?: string | undefined;
  h2c?: boolean | undefined;
};

/**
 * Recipients of a request's secrets: the origin, the server name (which selects a site on a shared server), and a
 * proxy, which may read the traffic.
 */
export const readerOf = ({ url, proxy: way, servername }: Pick<Connection, "url" | "proxy" | "servername">): string =>
  [originOfUrl({ url }), way && proxyOf(way), servername && `sni=${servername}`].filter(Boolean).join(" ");

/** Scheme, host and port. */
const proxyOf = ({ url }: { url: string }): string => (URL.canParse(url) ? new URL(url).href : url);

/** Secrets of a connection, each with its recipient. A token is sent to the target, so its secret is bound to both. */
export const secretsOfConnection = (check: Connection): SecretText[] => [
  ...(check.proxy?.password === undefined
    ? []
    : [{ path: ["proxy", "password"], name: "proxy.password", audience: proxyOf(check.proxy) }]),
  ...(check.clientCertificate === undefined
    ? []
    : [{ path: ["clientCertificate", "key"], name: "clientCertificate.key" }]),
  ...(check.oauth === undefined
    ? []
    : [
        {
          path: ["oauth", "clientSecret"],
          name: "oauth.clientSecret",
          audience: `${check.oauth.tokenUrl} ${readerOf(check)}`,
        },
      ]),
];

export const hostsOfConnection = (check: Connection): LocatedLiteral[] => [
  ...hostOfUrl(check),
  ...(check.proxy === undefined ? [] : hostOfUrl(check.proxy, "proxy.url")),
  ...(check.oauth === undefined ? [] : hostOfUrl({ url: check.oauth.tokenUrl }, "oauth.tokenUrl")),
];

export const keyPairsOfConnection = ({ clientCertificate: pair }: Connection): KeyPair[] =>
  pair === undefined ? [] : [{ path: "clientCertificate", ...pair }];
