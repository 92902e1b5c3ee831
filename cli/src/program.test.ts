import { checkTypes } from "@sonde/proto/http/monitors/kinds";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { canary, inFolder, key, to } from "./testing/call.ts";
import { applied, refusal, standIn } from "./testing/stand-in.ts";

const { call, file, path, write } = inFolder();

describe("init", () => {
  test("writes a valid file, and never overwrites another", async () => {
    expect((await call(["init", file()], { SONDE_URL: "https://sonde.test/" })).code).toBe(0);
    expect(readFileSync(file(), "utf8")).toContain("$schema=https://sonde.test/api/config.schema.json");
    expect(await call(["validate", file()])).toEqual({ code: 0, out: "1 object is valid", err: "" });
    expect(await call(["init", file()])).toMatchObject({ code: 1, err: "sonde.yaml already exists" });
  });

  test("uses the address of the login", async () => {
    mkdirSync(path(".config/sonde"), { recursive: true });
    writeFileSync(path(".config/sonde/login.json"), JSON.stringify({ url: "https://own.test", key }));
    await call(["init", file()]);
    expect(readFileSync(file(), "utf8")).toContain("$schema=https://own.test/api/config.schema.json");
  });
});

describe("validate", () => {
  test("needs neither Sonde nor the secrets", async () => {
    write();
    expect(await call(["validate", file()], { SLACK_URL: undefined })).toMatchObject({
      code: 0,
      out: "3 objects are valid",
    });
  });

  test("exits with 4, and reports file, line and column of each error", async () => {
    write("monitors:\n  shop:\n    url: a\n    url: b\nmonitor: {}\n");
    const first = "Duplicate key url: also in sonde.yaml, line 3, column 5";
    expect(await call(["validate", file()])).toEqual({
      code: 4,
      out: "",
      err: `sonde.yaml:4:5: monitors.shop.url: ${first}`,
    });
    write('monitors:\n  shop: {url: "https://a.test/"}\nmonitor: {}\n');
    expect(await call(["validate", file()])).toMatchObject({ code: 4, err: "sonde.yaml:3:1: monitor: Unknown field" });
  });

  test("warns about keys, variables, files and a source that apply may not find", async () => {
    write(`defaults: {monitor: {notify: {template: short}}}
channels:
  ops: {type: slack, webhookUrl: {env: NOT_SET}}
  two: {type: ntfy, topic: a, token: {file: none}}
monitors:
  a: {url: "https://a.test/", dependsOn: ["monitor:b", "monitor:a", "agent:web-1"], notify: {channels: [ops, opps, "name:Ops"]}}
settings: {monitors: {template: "name:Long"}}
maintenance:
  m: {targets: ["monitor:c"], start: "2026-01-31T13:00:00Z", end: "2026-01-31T14:00:00Z"}
page: {title: "monitor:x", monitors: [a, d], groups: [{name: g, monitors: [e]}], subscriptions: {enabled: true, channel: mail}}
`);
    const missing = (path: string, noun: string, key: string) =>
      `${path}: No ${noun} in these files has the key ${key}: another source must define it`;
    const { code, out, err } = await call(["validate", file()]);
    expect([code, out]).toEqual([0, "6 objects are valid"]);
    expect(err.split("\n").map((line) => line.replace(/^Warning: (?:sonde\.yaml:\d+:\d+: )?/, ""))).toEqual([
      "source: Missing source: add source: prod-git to a file, or pass --source to apply",
      missing("defaults.monitor.notify.template", "template", "short"),
      missing("monitors.a.dependsOn.0", "monitor", "b"),
      missing("monitors.a.notify.channels.1", "channel", "opps"),
      missing("maintenance.m.targets.0", "monitor", "c"),
      missing("page.monitors.1", "monitor", "d"),
      missing("page.groups.0.monitors.0", "monitor", "e"),
      missing("page.subscriptions.channel", "channel", "mail"),
      "channels.ops.webhookUrl: The variable NOT_SET is not set",
      "channels.two.token: none does not exist",
    ]);
    expect((await call(["validate", file(), "--strict"])).code).toBe(4);
    const json = JSON.parse((await call(["validate", file(), "--output", "json"])).out) as { warnings: object[] };
    expect(json.warnings[2]).toMatchObject({ path: "monitors.a.dependsOn.0", line: 6, file: expect.any(String) });
    const { out: annotations } = await call(["validate", file(), "--output", "github"]);
    expect(annotations).toContain("::warning file=");
    write();
    expect(await call(["validate", file(), "--strict"])).toMatchObject({ code: 0, err: "" });
  });

  test("prints no control characters of a file, and no line that the file made up", async () => {
    write('"\\e[2J\\x9b0m\\n::error::x": 1\n');
    const { err } = await call(["validate", file()]);
    expect(err).toBe("sonde.yaml:1:1: \\u001b[2J\\u009b0m\\n::error::x: Unknown field");
    for (const format of ["json", "github"]) {
      const { out } = await call(["validate", file(), "--output", format]);
      expect(out).not.toMatch(/(?!\n)\p{Cc}/u);
    }
  });

  test("accepts written intervals", async () => {
    const check = async (interval: string) => {
      write(`source: x\nmonitors:\n  a: {url: "https://a.test/", interval: ${interval}}\n`);
      return call(["validate", file()]);
    };
    for (const good of ["10s", "10 s", "5m", "1h", "7d", "0.5", "1"]) expect((await check(good)).code).toBe(0);
    expect((await check("8d")).err).toContain("The interval must be at most 10080 min");
    for (const bad of ["10x", "s", "1.5h", "-1m"])
      expect((await check(bad)).err).toContain("Enter a number of minutes, or a duration such as 10s, 5m or 1h");
  });

  test("explains schema errors, in fields and unions", async () => {
    write(`channels:
  ops: {type: smtp, host: 5, to: {env: X, file: y}, secrets: 1}
  two: {webhookUrl: https://a.test/}
monitors:
  Shop: {url: https://a.test/}
  db: {type: tcp, host: {env: HOST}}
  dns: {type: snmp}
  list: []
  old: {url: ftp://a, dependsOn: [db], interval: {env: X}}
`);
    expect((await call(["validate", file()])).err.split("\n")).toEqual([
      "sonde.yaml:2:3: channels.ops.from: This field is required",
      "sonde.yaml:2:21: channels.ops.host: Please enter text",
      "sonde.yaml:2:30: channels.ops.to: Write a reference as {env: NAME} or {file: path}",
      "sonde.yaml:2:53: channels.ops.secrets: Unknown field",
      expect.stringMatching(/^sonde\.yaml:3:3: channels\.two\.type: Please choose one of: resend, slack, /),
      expect.stringMatching(/^sonde\.yaml:5:3: monitors\.Shop: Use 1 to 63 lowercase letters, /),
      "sonde.yaml:6:3: monitors.db.port: Enter a port from 1 to 65535",
      `sonde.yaml:7:9: monitors.dns.type: Please choose one of: ${checkTypes.join(", ")}`,
      "sonde.yaml:8:3: monitors.list: Please enter fields and their values",
      "sonde.yaml:9:9: monitors.old.url: Please enter a full http or https address",
      expect.stringMatching(/^sonde\.yaml:9:35: monitors\.old\.dependsOn\.0: Reference a monitor by key /),
      "sonde.yaml:9:40: monitors.old.interval: Please enter a number",
    ]);
  });

  test("annotates a pull request, and has JSON output", async () => {
    write('monitors:\n  shop: {url: "https://a.test/"}\nmonitor: {}\n');
    const { code, out } = await call(["validate", file(), "--output", "github"]);
    expect([code, out]).toEqual([
      4,
      expect.stringMatching(/^::error file=\S*sonde\.yaml,line=3,col=1::monitor: Unknown field$/),
    ]);
    const json = await call(["validate", file(), "--output=json"]);
    const fault = { message: "Unknown field", path: "monitor", file: "sonde.yaml", line: 3, column: 1 };
    expect(JSON.parse(json.out)).toEqual({ exitCode: 4, errors: [fault] });
  });
});

describe("diff", () => {
  const changes = {
    create: ["monitors.shop"],
    update: [{ path: "channels.ops.webhookUrl", from: "••••••", to: canary }],
    remove: ["monitors.old"],
    same: ["monitors.db"],
  };

  test("exits with 0 without differences, and changes nothing", async () => {
    write();
    const sonde = await standIn({ "POST /api/apply": applied({ same: ["monitors.shop", "monitors.db"] }) });
    const { code, out } = await call(["diff", file()], { ...to(sonde), GITHUB_SHA: "abc" });
    expect([code, out]).toEqual([0, "0 to create, 0 fields to change, 0 to remove, 2 unchanged"]);
    const [request] = sonde.received;
    expect(request).toMatchObject({ path: "/api/apply?dryRun=true", key });
    expect(JSON.parse(request!.body)).toEqual({
      source: "prod-git",
      revision: "abc",
      allowDelete: 10_000,
      config: {
        channels: { ops: { type: "slack", webhookUrl: canary } },
        monitors: { shop: { url: "https://shop.example.com/" }, db: { type: "tcp", host: "db", port: 5432 } },
      },
      places: { "channels.ops": `${file()}:3`, "monitors.shop": `${file()}:5`, "monitors.db": `${file()}:7` },
    });
  });

  test("exits with 2 if something differs, and shows it", async () => {
    write();
    const sonde = await standIn({ "POST /api/apply": applied(changes) });
    expect(await call(["diff", file()], to(sonde))).toEqual({
      code: 2,
      err: "",
      out: [
        "+ monitors.shop  (sonde.yaml:5)",
        "~ channels.ops.webhookUrl: •••••• → ••••••  (sonde.yaml:3)",
        "- monitors.old",
        "1 to create, 1 field to change, 1 to remove, 1 unchanged",
      ].join("\n"),
    });
  });

  test("has JSON output, and annotations", async () => {
    write();
    const sonde = await standIn({ "POST /api/apply": applied(changes) });
    const json = JSON.parse((await call(["diff", file(), "--output", "json"], to(sonde))).out) as object;
    expect(json).toMatchObject({
      exitCode: 2,
      generation: 3,
      plan: { create: ["monitors.shop"], update: [{ to: "••••••" }] },
    });
    const { code, out } = await call(["diff", file(), "--output", "github"], to(sonde));
    expect([code, out.split("\n")]).toEqual([
      2,
      [
        expect.stringMatching(/^::notice file=\S*sonde\.yaml,line=5,col=3,title=Create::monitors\.shop$/),
        expect.stringMatching(
          /^::notice file=\S*,line=3,col=\d+,title=Change::channels\.ops\.webhookUrl: •••••• → ••••••$/,
        ),
        "::warning title=Remove::monitors.old",
        "1 to create, 1 field to change, 1 to remove, 1 unchanged",
      ],
    ]);
  });

  test("exits with 3 if a plan has conflicts", async () => {
    write();
    const conflicts = [{ path: "monitors.shop", message: "It is managed by other-git (b.yaml:4)" }];
    const sonde = await standIn({ "POST /api/apply": applied({ conflicts }) });
    const { code, out } = await call(["diff", file()], to(sonde));
    expect([code, out]).toEqual([
      3,
      expect.stringContaining("! monitors.shop: It is managed by other-git (b.yaml:4)  (sonde.yaml:5)"),
    ]);
  });
});

describe("apply", () => {
  test("exits with 0, and removes only as many objects as allowed", async () => {
    write();
    const sonde = await standIn({ "POST /api/apply": applied({ create: ["monitors.shop"] }) });
    const { code, out } = await call(
      ["apply", file(), "--allow-delete", "2", "--source", "mine", "--revision", "r7"],
      to(sonde),
    );
    expect([code, out.split("\n").at(-1)]).toEqual([0, "Applied as mine"]);
    expect(sonde.received[0]!.path).toBe("/api/apply");
    expect(JSON.parse(sonde.received[0]!.body)).toMatchObject({ source: "mine", revision: "r7", allowDelete: 2 });
    await call(["apply", file()], to(sonde));
    expect(JSON.parse(sonde.received[1]!.body)).toMatchObject({ source: "prod-git", allowDelete: 0 });
  });

  test.each([
    [400, "invalid", 4],
    [409, "conflict", 3],
    [422, "impossible", 3],
    [403, "forbidden", 1],
    [404, "not_found", 1],
    [413, "too_large", 1],
    [429, "too_many", 1],
    [500, "internal", 1],
    [503, "unavailable", 1],
  ])("a %i is %s and exits with %i; each error has its place", async (status, name, code) => {
    write();
    const errors = [
      { path: "config.monitors.shop.url", message: `Not ${canary}, please` },
      { path: "monitors.db.port", message: "The number is too large (maximum 65535)" },
    ];
    const sonde = await standIn({ "POST /api/apply": () => refusal(status, name, "A sentence of Sonde's", errors) });
    expect(await call(["apply", file()], to(sonde))).toEqual({
      code,
      out: "",
      err: [
        "A sentence of Sonde's",
        "sonde.yaml:6:5: monitors.shop.url: Not ••••••, please",
        "sonde.yaml:7:29: monitors.db.port: The number is too large (maximum 65535)",
      ].join("\n"),
    });
  });

  test("without a source, a secret or a key it fails before any request", async () => {
    const sonde = await standIn({});
    write("monitors: {a: {url: 'https://a.test/'}}");
    expect(await call(["apply", file()], to(sonde))).toMatchObject({
      code: 4,
      err: expect.stringContaining("Missing source"),
    });
    write();
    expect(await call(["apply", file()], { ...to(sonde), SLACK_URL: undefined })).toMatchObject({
      code: 4,
      err: "sonde.yaml:3:34: channels.ops.webhookUrl: The variable SLACK_URL is not set",
    });
    expect(await call(["apply", file()], { SONDE_URL: sonde.url })).toMatchObject({
      code: 1,
      err: expect.stringContaining("No key for"),
    });
    expect(await call(["apply", file()])).toMatchObject({
      code: 1,
      err: "No address is set: set SONDE_URL and SONDE_KEY, or run sonde login",
    });
    expect(sonde.received).toEqual([]);
  });

  test("reports a response of another server, a redirect, a rejected key, and a missing response", async () => {
    write();
    const answers = [
      [() => ({ status: 502, body: "<html>Bad gateway" }), /does not look like a Sonde server \(status 502\)$/],
      [() => ({ body: "<html>Welcome" }), /does not look like a Sonde server \(status 200\)$/],
      [() => ({ body: { success: true } }), /^Sonde returned no plan/],
      [
        () => ({ status: 301, body: "", headers: { Location: "https://b.test/" } }),
        /redirects to https:\/\/b\.test\/:/,
      ],
      [() => refusal(401, "unauthenticated", "Please log in"), /rejected the key: Please log in$/],
    ] as const;
    for (const [answer, sentence] of answers) {
      const sonde = await standIn({ "POST /api/apply": answer });
      expect(await call(["apply", file()], to(sonde))).toMatchObject({ code: 1, err: expect.stringMatching(sentence) });
    }
    const gone = await standIn({});
    await gone.stop();
    expect(await call(["apply", file()], to(gone))).toMatchObject({
      code: 1,
      err: `${gone.url} does not respond (connection refused)`,
    });
  });
});

test.each([
  [["nothing"], "Unknown command nothing; see sonde --help"],
  [["diff", "--outputs"], "Unknown option --outputs; see sonde --help"],
  [["diff", "--output", "xml"], "--output <format> must be one of: text, json, github; see sonde --help"],
  [["apply", "--allow-delete", "-1"], "The value of --allow-delete <number> is not valid; see sonde --help"],
  [["validate", "a", "b"], "Too many arguments; see sonde --help"],
  [["import"], "file is missing; see sonde --help"],
  [["run", "--ping", "x"], "command is missing; see sonde --help"],
  [["run", "true"], "--ping <url> is missing; see sonde --help"],
])("%j is explained in one sentence", async (args, sentence) => {
  expect(await call(args)).toEqual({ code: 1, out: "", err: sentence });
});

test("help and version are not errors", async () => {
  expect(await call(["--version"])).toMatchObject({ code: 0, out: expect.stringMatching(/^\d+\.\d+\.\d+$/) });
  expect(await call(["--help"])).toMatchObject({ code: 0, out: expect.stringContaining("SONDE_KEY") });
  expect(await call([])).toMatchObject({ code: 1, out: expect.stringContaining("validate") });
});
