import { execFileSync } from "node:child_process";
import { secretMask } from "@sonde/proto/http/secrets";
import { describe, expect, it } from "vitest";
import { type CurlRequest, curlOf } from "./curl.ts";

const get: CurlRequest = { url: "https://shop.example/health?a=1&b=2", method: "GET", headers: [] };

/** The arguments that a shell passes to curl. */
function argumentsOf(request: CurlRequest): string[] {
  const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${curlOf(request)}`;
  return execFileSync("sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}
const valuesOf = (option: string, request: CurlRequest) => {
  const given = argumentsOf(request);
  return given.flatMap((each, index) => (given[index - 1] === option ? [each] : []));
};

describe("a request as a curl command", () => {
  it("has one option per line", () => {
    expect(curlOf({ ...get, timeout: 10, followRedirects: true })).toBe(
      [
        "curl 'https://shop.example/health?a=1&b=2' \\",
        "  --include \\",
        "  --location \\",
        "  --max-time 10 \\",
        "  --user-agent Sonde",
      ].join("\n"),
    );
  });

  it.each([
    "it's \"quoted\"",
    "two\nlines\n",
    "$(touch /tmp/x) `id` $HOME !! \\",
    "'; rm -rf / #",
    "' '",
    "@/etc/passwd",
    "多行\t文本",
  ])("survives the shell: %j", (text) => {
    const request: CurlRequest = { ...get, method: "POST", body: text };
    expect(valuesOf("--data-raw", request)).toEqual([text]);
    expect(valuesOf("--request", request)).toEqual(["POST"]);
    const line = text.replaceAll("\n", " ");
    expect(valuesOf("--header", { ...get, headers: [{ name: "X-Text", value: line }] })).toEqual([`X-Text: ${line}`]);
    expect(argumentsOf({ ...get, url: `https://shop.example/${line}` })[0]).toBe(`https://shop.example/${line}`);
  });

  it("keeps the mask of a stored secret", () => {
    const headers = [{ name: "Authorization", value: secretMask }];
    expect(valuesOf("--header", { ...get, headers })).toEqual([`Authorization: ${secretMask}`]);
  });

  it("sends what a check sends: its user agent, and no content type of its own", () => {
    expect(valuesOf("--header", { ...get, method: "PUT", body: "x" })).toEqual(["Content-Type:"]);
    const headers = [
      { name: "content-type", value: "text/plain" },
      { name: "User-Agent", value: "" },
    ];
    const own = { ...get, method: "PUT", body: "x", headers } as const;
    expect(valuesOf("--header", own)).toEqual(["content-type: text/plain", "User-Agent;"]);
    expect(argumentsOf(own)).not.toContain("--user-agent");
  });

  it("takes over how the connection is made", () => {
    const proxy = { url: "socks5://10.0.0.1:1080" };
    const given = argumentsOf({ ...get, verifyTls: false, ipFamily: "ipv6", h2c: true, proxy });
    expect(given).toEqual(expect.arrayContaining(["--insecure", "--ipv6", "--http2-prior-knowledge", proxy.url]));
    expect(argumentsOf({ ...get, method: "HEAD" })).toContain("--head");
    expect(argumentsOf({ ...get, url: "http://[::1]/" })).toContain("--globoff");
    expect(argumentsOf(get)).not.toContain("--globoff");
  });
});
