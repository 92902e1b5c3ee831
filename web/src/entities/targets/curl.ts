import type { Monitor } from "@sonde/proto/http/monitors/monitors";

type HttpMonitor = Extract<Monitor, { type: "http" }>;
export type CurlRequest = Pick<HttpMonitor, "url" | "method" | "headers"> &
  Partial<Pick<HttpMonitor, "body" | "followRedirects" | "verifyTls" | "ipFamily" | "h2c" | "timeout">> & {
    proxy?: { url: string };
  };

/** Everything between single quotes is literal in POSIX shells, also newlines. */
const quote = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** Returns a curl command that sends the monitor's request, with the mask in place of stored secrets. */
export function curlOf(request: CurlRequest): string {
  const { url, method, headers, body = "", followRedirects, verifyTls, ipFamily, h2c, timeout, proxy } = request;
  const has = (wanted: string) => headers.some(({ name }) => name.toLowerCase() === wanted);
  const options = [
    method === "HEAD" ? "--head" : "--include",
    ...(method === "HEAD" || (method === "GET" && body === "") ? [] : [`--request ${method}`]),
    // Otherwise curl expands brackets and braces.
    ...(/[[\]{}]/.test(url) ? ["--globoff"] : []),
    ...(followRedirects === true ? ["--location"] : []),
    ...(verifyTls === false ? ["--insecure"] : []),
    ...(ipFamily === undefined ? [] : [`--${ipFamily}`]),
    ...(h2c === true ? ["--http2-prior-knowledge"] : []),
    ...(timeout === undefined ? [] : [`--max-time ${timeout}`]),
    ...(proxy === undefined ? [] : [`--proxy ${quote(proxy.url)}`]),
    ...(has("user-agent") ? [] : ["--user-agent Sonde"]),
    // A semicolon sends a header without a value.
    ...headers.map(({ name, value }) => `--header ${quote(value === "" ? `${name};` : `${name}: ${value}`)}`),
    // Checks send no type of their own; curl would add one.
    ...(body === "" ? [] : [...(has("content-type") ? [] : ["--header 'Content-Type:'"]), `--data-raw ${quote(body)}`]),
  ];
  return [`curl ${quote(url)}`, ...options].join(" \\\n  ");
}
