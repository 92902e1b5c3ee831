import { kumaTables } from "@sonde/proto/http/import";
import { translateText } from "@sonde/proto/http/reasons/import-reasons";
import { describe, expect, test } from "vitest";
import { draftOf, http, monitorOf, type Row } from "../testing/kuma.ts";
import { emptyInstallation } from "../testing/known.ts";
import { toDocument } from "../translate.ts";
import { readKuma } from "./read.ts";

describe("an HTTP monitor", () => {
  test("keeps its request and its expectations", () => {
    const { check, line, notes, why } = monitorOf({
      method: "post",
      body: '{"ok": 1}',
      headers: '{"X-Team": "shop"}',
      accepted_statuscodes_json: '["200-299","301"]',
      maxredirects: 0,
      ignore_tls: 1,
      maxretries: 3,
      retry_interval: 2,
      interval: 90,
      timeout: 48,
      description: "# Runbook",
    });
    expect(why).toEqual([]);
    expect(notes).toEqual([]);
    expect(check).toEqual({
      type: "http",
      url: "https://shop.example.com/",
      method: "POST",
      body: '{"ok": 1}',
      headers: [
        { name: "Content-Type", value: "application/json" },
        { name: "X-Team", value: "shop" },
      ],
      expectedStatus: "200-299,301",
      followRedirects: false,
      verifyTls: false,
      assertions: [],
    });
    expect(line).toMatchObject({
      name: "Shop",
      note: "# Runbook",
      interval: 1.5,
      timeout: 48,
      retries: 3,
      paused: false,
    });
  });

  test("logs in with a header, whether the credentials are in columns or in the address", () => {
    const value = `Basic ${Buffer.from("ops:p@ss").toString("base64")}`;
    const headers = [{ name: "Authorization", value }];
    const own = { auth_method: "basic", basic_auth_user: "ops", basic_auth_pass: "p@ss" };
    expect(monitorOf(own).check).toMatchObject({ headers });
    const { check } = monitorOf({ url: "https://ops:p%40ss@shop.example.com/a" });
    expect(check).toMatchObject({ headers, url: "https://shop.example.com/a" });
    expect(monitorOf({ auth_method: "bearer", bearer_token: "t0ken" }).check).toMatchObject({
      headers: [{ name: "Authorization", value: "Bearer t0ken" }],
    });
  });

  test("the user's own headers win over those of the body and the login", () => {
    const { check } = monitorOf({ body: "a=1", http_body_encoding: "form", headers: '{"content-type": "text/plain"}' });
    expect(check["headers"]).toEqual([{ name: "content-type", value: "text/plain" }]);
  });

  test("an inverted monitor stays inverted", () => {
    expect(monitorOf({ upside_down: 1 }).check).toMatchObject({ type: "http", invert: true });
    expect(monitorOf({}).check).not.toHaveProperty("invert");
  });

  test("a row older than a column has the column's default", () => {
    const draft = draftOf([], {
      early: [{ id: 9, name: "Old", type: "http", url: "https://old.example.com/", interval: 60 }],
    });
    const [line] = Object.values(toDocument(draft, emptyInstallation).config.monitors!);
    expect(line).toMatchObject({ method: "GET", expectedStatus: "200-299", minDaysLeft: 7 });
  });

  test.each([
    ["with NTLM", { auth_method: "ntlm" }, "It logs in with ntlm, which Sonde does not support"],
    ["with an empty bearer token", { auth_method: "bearer", bearer_token: " " }, "Its bearer token is empty"],
    ["of a game", { type: "gamedig" }, "Sonde does not support this type of check (gamedig)"],
    ["without a kind", { type: null }, "Unknown type"],
    ["with headers that are not JSON", { headers: "X: 1" }, "Its headers cannot be read"],
    ["with codes that are not a list", { accepted_statuscodes_json: "{}" }, "Its expected status codes cannot be read"],
    ["with another URL scheme", { url: "ftp://x" }, "url: Please enter a full http or https address"],
    ["with invalid codes", { accepted_statuscodes_json: '["999"]' }, /^expectedStatus: Enter a status code/],
    ["with NUL in an unused text", { json_path: "a\0" }, "json_path: This value is not valid"],
  ])("%s is refused with the reason", (_what, row, reason) => {
    const { why, line } = monitorOf(row as Row);
    expect(line).toBeNull();
    expect(why).toEqual([typeof reason === "string" ? reason : expect.stringMatching(reason)]);
  });
});

test.each([
  [{}, "https://shop.example.com/"],
  [{ url: "https://ops:secret@shop.example.com/a" }, "https://shop.example.com/a"],
  [{ type: "port", hostname: "db.example.com", port: 5432, url: "https://" }, "db.example.com:5432"],
  [{ type: "postgres", database_connection_string: "postgres://u:secret@db/x", url: "https://" }, "db:5432"],
  [{ type: "push", push_token: "token", url: "https://" }, "push"],
])("an unnamed monitor is named after its address: %j", (row, name) => {
  for (const given of ["", null, " "]) expect(monitorOf({ ...row, name: given } as Row).line).toMatchObject({ name });
});

describe("differences are reported", () => {
  test.each([
    [{ interval: 20 }, "Interval raised from 20 s to 60 s, the minimum here", { interval: 1 }],
    [{ interval: 2_000_000 }, "Interval lowered to 7 days", { interval: 10_080 }],
    [{ timeout: 70 }, "Timeout lowered to 48 s", { timeout: 48 }],
    [{ maxretries: 30, retry_interval: 2 }, "At most 10 retries", { retries: 10 }],
    [{ maxretries: 2, retry_interval: 20 }, "Retries are 2 s apart, not 20 s", { retries: 2 }],
    [
      { maxretries: 2, retry_interval: 2, retry_only_on_status_code_failure: 1 },
      "Also retries if only the JSON query fails",
      { retries: 2 },
    ],
    [{ maxredirects: 3 }, "Follows up to 10 redirects, not 3", {}],
    [{ cache_bust: 1 }, "Does not add the random query parameter that bypasses caches", {}],
    [{ type: "dns", hostname: "a.example.com", ip_family: "ipv6" }, "Uses both IPv4 and IPv6, not only IPv6", {}],
    [{ domain_expiry_notification: 1 }, "Does not check the domain's expiry", {}],
    [{ name: "n".repeat(150) }, "Name shortened", { name: "n".repeat(100) }],
    [{ description: "d".repeat(5000) }, "Description shortened", { note: "d".repeat(4000) }],
  ])("%o", (row, note, fields) => {
    const { notes, line } = monitorOf({ expiry_notification: 0, ...row } as Row);
    expect(notes).toEqual([note]);
    expect(line).toMatchObject(fields);
  });

  test("an interval that this installation allows is unchanged", () => {
    const { notes, line } = monitorOf({ interval: 20, expiry_notification: 0 }, { min: 10 });
    expect(notes).toEqual([]);
    expect(line).toMatchObject({ interval: 20 / 60 });
  });

  test("expiring certificates are reported as before, using the last of the configured days", () => {
    const days = (value: string) => ({ more: { setting: [{ key: "tlsExpiryNotifyDays", value }] } });
    expect(monitorOf({ expiry_notification: 1 }, days("[5,30]"))).toMatchObject({
      check: { minDaysLeft: 5 },
      notes: ["Down if its certificate expires in less than 5 days"],
    });
    expect(monitorOf({ expiry_notification: 1 }, days("no list")).check).toMatchObject({ minDaysLeft: 7 });
    expect(monitorOf({ expiry_notification: 1, url: "http://a.example/" }).check).not.toHaveProperty("minDaysLeft");
    expect(monitorOf({ expiry_notification: 0 }).check).not.toHaveProperty("minDaysLeft");
  });
});

describe("the other kinds", () => {
  test("a keyword becomes an assertion on the body", () => {
    const of = (row: Row) => monitorOf({ type: "keyword", keyword: "welcome", ...row }).check["assertions"];
    expect(of({})).toEqual([{ source: "body", op: "contains", value: "welcome" }]);
    expect(of({ invert_keyword: 1 })).toEqual([{ source: "body", op: "notContains", value: "welcome" }]);
    expect(monitorOf({ type: "keyword", keyword: "" }).why).toEqual(["Its keyword is empty"]);
  });

  test.each([
    ["1.23", "data.items[0].name", undefined, { property: "$.data.items[0].name", op: "equals" }],
    ["2", "$.data.`a b`", "!=", { property: "$.data['a b']", op: "notEquals" }],
    ["2", "$", "contains", { property: "$", op: "contains" }],
    ["2", "", "==", { property: "$", op: "equals" }],
    ["2", "[0].load", ">", { property: "$[0].load", op: "greaterThan" }],
  ] as const)("converts a JSON query of %s: %s %s", (version, path, operator, assertion) => {
    const row: Row = { type: "json-query", json_path: path, expected_value: "7" };
    if (operator !== undefined) row["json_path_operator"] = operator;
    const { check, why } = monitorOf(row, { version });
    expect(why).toEqual([]);
    expect(check["assertions"]).toEqual([{ source: "json", value: "7", ...assertion }]);
  });

  test.each([
    ["$count(items)", "==", "Its JSON query is not a simple path: $count(items)"],
    ["items[price > 3].name", "==", "Its JSON query is not a simple path: items[price > 3].name"],
    ["a", ">=", "Sonde does not support the JSON comparison >="],
    ["a", "constructor", "Sonde does not support the JSON comparison constructor"],
  ])("refuses a JSON query: %s %s", (path, operator, reason) => {
    const row = { type: "json-query", json_path: path, json_path_operator: operator, expected_value: "7" };
    expect(monitorOf(row).why).toEqual([reason]);
  });

  test("a port and a DNS query are converted", () => {
    expect(monitorOf({ type: "port", url: "https://", hostname: "db.example.com", port: 5432 }).check).toEqual({
      type: "tcp",
      host: "db.example.com",
      port: 5432,
    });
    const dns = { type: "dns", hostname: "example.com", dns_resolve_type: "MX", port: 53 };
    expect(monitorOf({ ...dns, dns_resolve_server: "1.1.1.1" }).check).toEqual({
      type: "dns",
      host: "example.com",
      recordType: "MX",
      resolver: "1.1.1.1",
    });
    const several = monitorOf({ ...dns, dns_resolve_server: "1.1.1.1, 8.8.8.8", port: 5353 });
    expect(several.check).toMatchObject({ resolver: "1.1.1.1:5353" });
    expect(several.notes).toEqual(["Only the first name server is used: 1.1.1.1"]);
    expect(monitorOf({ ...dns, dns_resolve_server: "ns.example.com" }).why).toEqual([
      expect.stringMatching(/^resolver: Enter an IP address/),
    ]);
  });

  test.each([
    [{ port: 443, smtp_security: "secure" }, { port: 443, minDaysLeft: 7 }, []],
    [{ port: 25, smtp_security: "starttls" }, { starttls: "smtp", minDaysLeft: 7 }, ["STARTTLS with smtp"]],
    [{ port: 143, smtp_security: "starttls" }, { starttls: "imap" }, ["STARTTLS with imap"]],
    [{ port: 443, smtp_security: "secure", expiry_notification: 0 }, { minDaysLeft: 0 }, []],
    [
      { port: 443, expected_tls_alert: "certificate_required" },
      { minDaysLeft: 7 },
      ["Expected TLS alert certificate_required is not imported"],
    ],
  ])("a port with TLS becomes a TLS check: %o", (row, fields, more) => {
    const { check, notes, why } = monitorOf({ type: "port", url: "https://", hostname: "mail.example.com", ...row });
    expect(why).toEqual([]);
    expect(check).toMatchObject({ type: "tls", host: "mail.example.com", ...fields });
    const days = "Down if its certificate expires in less than 7 days";
    const expected = ["Becomes a TLS check", "Its certificate must be valid", ...more];
    expect(notes).toEqual("expiry_notification" in row ? expected : [...expected, days]);
  });

  test("a port without TLS becomes a TCP check", () => {
    const row = { type: "port", url: "https://", hostname: "db.example.com", port: 5432 };
    const none = { smtp_security: "nostarttls", expected_tls_alert: "none" };
    expect(monitorOf({ ...row, ...none }).check).toMatchObject({ type: "tcp" });
  });

  test("a single required record is imported, other conditions are reported", () => {
    const equals = { type: "expression", variable: "record", operator: "equals", value: "192.0.2.1" };
    const row = { type: "dns", hostname: "example.com", dns_resolve_type: "A", dns_resolve_server: "1.1.1.1" };
    expect(monitorOf({ ...row, conditions: JSON.stringify([equals]) }).check).toMatchObject({ expect: ["192.0.2.1"] });
    const other = monitorOf({ ...row, conditions: JSON.stringify([{ ...equals, operator: "contains" }]) });
    expect(other.check).not.toHaveProperty("expect");
    expect(other.notes).toEqual(["Conditions not imported: record contains 192.0.2.1"]);
  });
});

describe("a push monitor", () => {
  const push = { type: "push", url: "https://", hostname: null, interval: 3600 };

  test("becomes a heartbeat with the same address", () => {
    const row = { ...push, push_token: "Qv8a0tBcXz", maxretries: 2, retry_interval: 300, ip_family: "ipv4" };
    const { check, line, notes, why } = monitorOf(row);
    expect([why, notes]).toEqual([[], []]);
    expect(check).toMatchObject({ type: "heartbeat", every: 60, grace: 600, pingToken: "Qv8a0tBcXz" });
    for (const name of ["interval", "timeout", "retries", "locations"]) expect(line).not.toHaveProperty(name);
  });

  test("gets a new address if it has no token, and is due at most once a minute", () => {
    const { check, notes } = monitorOf({ ...push, push_token: null, interval: 20 });
    expect(check).toMatchObject({ every: 1, grace: 60 });
    expect(check["pingToken"]).toMatch(/^[\da-f-]{36}$/);
    expect(notes).toEqual(["Had no ping address, so it gets a new one"]);
  });
});

describe("groups and tags", () => {
  const group = (id: number, name: string, more: Row = {}): Row => ({ id, name, type: "group", interval: 60, ...more });

  test("groups become groups with their direct members, and tags keep their values", () => {
    const draft = draftOf([group(5, "Europe"), group(6, "Paris", { parent: 5 }), { ...http, parent: 6 }], {
      more: {
        tag: [
          { id: 1, name: "team", color: "#fff" },
          { id: 2, name: "prod", color: "#fff" },
        ],
        monitor_tag: [
          { monitor_id: 1, tag_id: 1, value: "shop" },
          { monitor_id: 1, tag_id: 2, value: "" },
        ],
      },
    });
    expect(draft.monitors.map(({ key, input }) => [key, input["members"], input["need"], input["tags"]])).toEqual([
      [1, undefined, undefined, ["team: shop", "prod"]],
      [5, [6], "all", []],
      [6, [1], "all", []],
    ]);
    const { config } = toDocument(draft, emptyInstallation);
    expect(config.monitors).toMatchObject({
      m2: { type: "group", name: "Europe", members: ["m3"] },
      m3: { type: "group", name: "Paris", members: ["m1"] },
    });
  });

  test("monitors in a paused group are paused, and circular groups are handled", () => {
    const monitors = [group(5, "a", { parent: 6, active: 0 }), group(6, "b", { parent: 5 }), { ...http, parent: 6 }];
    expect(draftOf(monitors).monitors.map(({ input }) => input["paused"])).toEqual([true, true, true]);
  });

  test("a group without members is refused", () => {
    expect(draftOf([group(5, "empty"), http]).refused).toEqual([
      { type: "monitor", name: "empty", why: { text: "This group has no members" } },
    ]);
  });

  test("long tags are cut and reported", () => {
    const draft = draftOf([{ ...http, expiry_notification: 0 }], {
      more: {
        tag: [{ id: 1, name: "g".repeat(60), color: "#fff" }],
        monitor_tag: [{ monitor_id: 1, tag_id: 1, value: "" }],
      },
    });
    expect(draft.monitors[0]?.input["tags"]).toEqual(["g".repeat(40)]);
    expect(draft.monitors[0]?.notes).toEqual([{ text: "Some tags are shortened or omitted" }]);
  });
});

describe("notifications and omitted objects", () => {
  const notification = (config: object): Row => ({ id: 3, name: "ops", user_id: 1, config: JSON.stringify(config) });

  test("reminders keep their interval, or stay off", () => {
    const link = { monitor_notification: [{ monitor_id: 1, notification_id: 3 }] };
    const settingsOf = (row: Row) =>
      draftOf([{ ...http, ...row }], {
        more: {
          notification: [notification({ type: "ntfy", ntfyserverurl: "https://ntfy.sh", ntfytopic: "t" })],
          ...link,
        },
      }).monitors[0]?.settings;
    expect(settingsOf({ resend_interval: 0 })).toMatchObject({ channels: [3], more: { cooldownMinutes: 0 } });
    expect(settingsOf({ resend_interval: 10, interval: 120 })).toMatchObject({ more: { cooldownMinutes: 20 } });
  });

  test.each([
    [{ type: "ntfy", ntfyserverurl: "https://ntfy.sh", ntfytopic: "t", ntfyPriority: 5 }, "5"],
    [{ type: "gotify", gotifyserverurl: "https://g.example", gotifyapplicationToken: "t", gotifyPriority: 8 }, "8"],
    [{ type: "PagerDuty", pagerdutyIntegrationKey: "k", pagerdutyPriority: "warning" }, "warning"],
    [{ type: "pushover", pushoveruserkey: "u", pushoverapptoken: "t", pushoverpriority: "2" }, "2"],
  ])("a custom priority is reported: %o", (config, priority) => {
    const [channel] = draftOf([], { more: { notification: [notification(config)] } }).channels;
    expect(channel?.notes.map((note) => translateText(note, "en-US"))).toEqual([
      `Priority ${priority} is not imported`,
    ]);
  });

  test("maintenance and status pages are reported", () => {
    const maintenance = [{ title: "Window", description: "" }];
    const page = [{ slug: "a", title: "Shop", icon: "", theme: "auto" }];
    const { refused } = draftOf([], { more: { maintenance, status_page: page } });
    const why = { text: "Not imported: set it up manually" };
    expect(refused).toEqual([
      { type: "maintenance", name: "Window", why },
      { type: "statusPage", name: "Shop", why },
    ]);
  });
});

test("malformed rows cause no error", () => {
  const odd = [
    "",
    "x",
    -1,
    1e300,
    null,
    "[]",
    "{}",
    "null",
    "[null, 1]",
    '[{"toString": 1}]',
    '{"type": "smtp", "a": null}',
    "\uFFFD",
  ];
  const rows = odd.map((value) =>
    Object.fromEntries(kumaTables.monitor.map((column) => [column, column === "type" ? "http" : value])),
  );
  const tables = {
    monitor: rows,
    proxy: rows,
    tag: rows,
    monitor_tag: rows,
    notification: rows,
    monitor_notification: rows,
    setting: rows,
    maintenance: rows,
    status_page: rows,
  };
  const { config, refused } = toDocument(readKuma(tables, 60), emptyInstallation);
  expect(Object.keys(config.monitors!).length + refused.length).toBeGreaterThanOrEqual(odd.length);
});
