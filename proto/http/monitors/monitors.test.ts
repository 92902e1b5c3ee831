import { expect, test } from "vitest";
import { faultsOf } from "../reasons/issues.ts";
import { historyQuery } from "./checks.ts";
import { isSecretHeader } from "./checks/http.ts";
import { exportedFacts, monitorInput, monitorPatch, sharedFields } from "./monitors.ts";
import { secretMask } from "../secrets.ts";

const least = { name: "API", url: "https://example.com/health" };

const faults = (input: unknown) => {
  const parsed = monitorInput.safeParse(input);
  return parsed.success ? [] : faultsOf(parsed.error.issues).map(({ path, message }) => `${path}: ${message}`);
};

test("a name and a URL are enough; the rest has defaults", () => {
  expect(monitorInput.parse(least)).toEqual({
    ...least,
    type: "http",
    method: "GET",
    interval: 1,
    timeout: 10,
    expectedStatus: 200,
    headers: [],
    followRedirects: true,
    verifyTls: true,
    retries: 1,
    recoverAfter: 1,
    assertions: [],
    tags: [],
    paused: false,
    dependsOn: [],
    note: "",
    keepBody: true,
    description: "",
  });
});

test("the default timeout is 80 % of an interval shorter than 12.5 s", () => {
  expect(monitorInput.parse({ ...least, interval: 10 / 60 }).timeout).toBe(8);
});

test.each([
  [{ url: least.url }, "name: This field is required"],
  [{ ...least, name: "  " }, "name: Name is required"],
  [{ ...least, name: "x".repeat(101) }, "name: The name can have at most {max} characters"],
  [{ ...least, url: "" }, "url: URL is required"],
  [{ ...least, url: "ftp://example.com" }, "url: Please enter a full http or https address"],
  [{ ...least, url: "htp:/bad" }, "url: Please enter a full http or https address"],
  [{ ...least, url: "file:///etc/passwd" }, "url: Please enter a full http or https address"],
  [{ ...least, url: "https:example.com" }, "url: Please enter a full http or https address"],
  [{ ...least, url: "https://user:pw@example.com" }, "url: The address cannot contain a username or password"],
  [{ ...least, method: "TRACE" }, "method: Please choose one of: {options}"],
  [{ ...least, timeout: 60 }, "timeout: The timeout must be shorter than the interval"],
  [
    { ...least, expectedStatus: "2x" },
    "expectedStatus: Enter a status code, class or range, such as 200, 2xx or 200-204,301",
  ],
  [
    { ...least, expectedStatus: 99 },
    "expectedStatus: Enter a status code, class or range, such as 200, 2xx or 200-204,301",
  ],
  [{ ...least, headers: [{ name: "a b", value: "" }] }, "headers.0.name: This is not a valid header name"],
  [
    { ...least, headers: [{ name: "X-A", value: "a\r\nHost: evil" }] },
    "headers.0.value: This is not a valid header value",
  ],
  [{ ...least, headers: [{ name: "Content-Length", value: "1" }] }, "headers.0.name: The probe sets this header"],
  [
    { ...least, assertions: [{ source: "latency", op: "lessThan", value: "soon" }] },
    "assertions.0.value: This comparison requires a number",
  ],
  [
    { ...least, assertions: [{ source: "json", op: "exists" }] },
    "assertions.0.property: A JSON assertion requires a path such as $.data.ok",
  ],
  [{ ...least, status: "up" }, "status: Unknown field"],
  [{ ...least, headers: [{ name: "X-A", value: "1", secret: true }] }, "headers.0.secret: Unknown field"],
])("%j is refused where it is wrong", (input, fault) => {
  expect(faults(input)).toEqual([fault]);
});

test("a patch changes only what it names", () => {
  expect(monitorPatch.parse({ paused: true })).toEqual({ paused: true });
  expect(monitorPatch.safeParse({ id: 3 }).success).toBe(false);
});

test.each([
  "Authorization",
  "proxy-authorization",
  "Authentication",
  "cookie",
  "Set-Cookie",
  "TOKEN",
  "apikey",
  "X-Api-Key",
  "x-apikey",
  "x-auth-token",
  "Client-Secret",
  "X-Password",
  "X-Auth",
  "x-jwt",
  "X-Hub-Signature",
])("a header named %s holds a secret", (name) => {
  expect(isSecretHeader(name)).toBe(true);
});

test.each([
  "Accept",
  "X-Keyboard",
  "Content-Type",
  "Tokens",
  "Key",
  "X-Author",
  "X-Signature-Version",
  "WWW-Authenticate",
])("a header named %s holds none", (name) => {
  expect(isSecretHeader(name)).toBe(false);
});

test("the mask of a secret is a value that may be sent", () => {
  expect(monitorInput.safeParse({ ...least, headers: [{ name: "Authorization", value: secretMask }] }).success).toBe(
    true,
  );
});

test.each([
  [{ source: "header", property: "a b", op: "exists" }, "property: This is not a valid response header name"],
  [
    { source: "json", property: "$.items[*].id", op: "exists" },
    "property: The path must select one value, such as $.data.items[0]; this part is not valid: {part}",
  ],
  [{ source: "latency", op: "contains", value: 5 }, "op: A response time can only be compared with a number"],
  [{ source: "body", op: "contains", value: "" }, "value: This comparison requires a value"],
  [{ source: "json", property: "$.a", op: "lessThan", value: "five" }, "value: This comparison requires a number"],
  [{ source: "body", op: "greaterThan", value: " " }, "value: This comparison requires a number"],
])("the assertion %j is refused where it is wrong", (assertion, fault) => {
  expect(faults({ ...least, assertions: [assertion] })).toEqual([`assertions.0.${fault}`]);
});

test("one end of a history's period is enough, as long as it is no longer than its steps allow", () => {
  const from = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  const faultOf = (query: object) => historyQuery.safeParse(query).error?.issues[0]?.path.join(".");
  expect(faultOf({ from: from(2) })).toBeUndefined();
  expect(faultOf({ until: from(2) })).toBeUndefined();
  expect(faultOf({ from: from(2), until: from(3) })).toBe("until");
  expect(faultOf({ from: from(-2) })).toBe("until");
  expect(faultOf({ from: from(48), step: "1m" })).toBe("step");
});

test("the API returns every setting that all monitors share", () => {
  expect(Object.keys(exportedFacts("http"))).toEqual(expect.arrayContaining(Object.keys(sharedFields)));
});
