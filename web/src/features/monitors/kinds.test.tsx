import type { CheckType } from "@sonde/proto/http/monitors/kinds";
import { checkTypes } from "@sonde/proto/http/monitors/kinds";
import { screen, waitFor, within } from "@testing-library/react";
import { beforeEach, describe, expect, it } from "vitest";
import { kindForms } from "../../entities/kinds/kinds.ts";
import { admin, historyPeriod, monitor, monitors, result } from "../../testing/fixtures.ts";
import { monitorKinds } from "../../locales/en-US/monitor-form.ts";
import { renderScreen } from "../../testing/render-app.tsx";
import { fail, ok, on } from "../../testing/server.ts";
import { chooseKind } from "../../testing/user.ts";

let sent: Record<string, unknown> | undefined;

beforeEach(() => {
  sent = undefined;
  on("get", "/locations", () => ok({ locations: [] }));
  on("get", "/monitors/7", () => ok({ monitor }));
  on("get", "/monitors/7/history", () => ok({ range: "24h", step: 300, buckets: [], ...historyPeriod }));
  on("post", "/monitors", keep);
  on("put", "/monitors/7", keep);
});

async function keep({ request }: { request: Request }) {
  sent = (await request.json()) as Record<string, unknown>;
  return ok({ monitor });
}

const field = (label: RegExp) => screen.findByLabelText<HTMLInputElement>(label);
const port = /^Port/;
const host = /^Host/;

async function openCreate() {
  const app = await renderScreen("/monitors/create", { as: admin });
  await screen.findByRole("heading", { name: "Add monitor" });
  const { user } = app;
  const type = async (label: RegExp, text: string) => {
    await user.clear(await field(label));
    if (text !== "") await user.type(await field(label), text);
  };
  const choose = (kind: string) => chooseKind(user, kind);
  const save = async () => user.click(await screen.findByRole("button", { name: "Create monitor" }));
  return { ...app, type, choose, save };
}

describe("a new monitor", () => {
  const kindField = () => screen.getByRole<HTMLInputElement>("combobox", { name: "Monitor type" });
  const offered = () =>
    within(screen.getByRole("listbox"))
      .queryAllByRole("option")
      .map((option) => option.getAttribute("aria-label"));

  it("is HTTP at first; all kinds are offered in groups, and are chosen by arrow keys", async () => {
    const { user, path } = await openCreate();
    on("get", "/monitors", () => ok({ monitors: [], total: 0 }));
    expect(kindField().value).toBe("HTTP");
    await user.click(kindField());
    expect(new Set(offered())).toEqual(new Set(checkTypes.map((type) => kindForms[type].name.en)));
    const databases = within(screen.getByRole("listbox")).getByRole("group", { name: "Databases" });
    expect(within(databases).getAllByRole("option")).toHaveLength(3);
    // Enter alone changes nothing, and saves nothing.
    await user.keyboard("{Enter}");
    expect(kindField().value).toBe("");
    await user.keyboard("{ArrowDown}{ArrowDown}{ArrowDown}{Enter}");
    expect(kindField().value).toBe("gRPC");
    expect(document.activeElement).toBe(kindField());
    expect(await field(port)).toBeTruthy();
    expect(screen.queryByLabelText(/^URL/)).toBeNull();
    expect(sent).toBeUndefined();
    // Switching the kind alone is not an unsaved change.
    await user.click(screen.getByRole("button", { name: "Cancel" }));
    await waitFor(() => expect(path()).toBe("/monitors"));
  });

  it("finds a kind by typing", async () => {
    const { user } = await openCreate();
    await user.type(kindField(), "mariadb");
    expect(offered()).toEqual(["MySQL"]);
    await user.keyboard("{Enter}");
    expect((await field(port)).value).toBe("3306");
    expect(sent).toBeUndefined();
    await user.type(kindField(), "mariadb of another");
    expect(screen.getByText(monitorKinds.noKind)).toBeTruthy();
    await user.keyboard("{Escape}");
    expect(kindField().value).toBe("MySQL");
  });

  it("of tcp sends line breaks as CRLF, and nothing for empty fields", async () => {
    const { type, choose, save, user } = await openCreate();
    await choose("TCP");
    await type(/^Name/, "Cache");
    await type(host, "cache.example");
    await type(port, "6379");
    await user.type(await field(/^Send/), "PING{Enter}");
    await type(/^Expected response/, "+PONG");
    await save();
    await waitFor(() => expect(sent).toBeDefined());
    expect(sent).toMatchObject({ type: "tcp", name: "Cache", host: "cache.example", port: 6379 });
    expect(sent).toMatchObject({ send: "PING\r\n", expect: "+PONG" });
    expect(sent).not.toHaveProperty("url");
  });

  it("of dns has one expected value per line", async () => {
    const { type, choose, save, user } = await openCreate();
    await choose("DNS");
    await type(/^Name/, "Mail");
    await type(host, "shop.example");
    await user.selectOptions(await field(/^Record type/), "MX");
    await type(/^Expected values/, "10 mail.shop.example{Enter}{Enter} 20 spare.shop.example{Enter}");
    await save();
    await waitFor(() => expect(sent).toBeDefined());
    const expected = ["10 mail.shop.example", " 20 spare.shop.example"];
    expect(sent).toMatchObject({ type: "dns", host: "shop.example", recordType: "MX", expect: expected });
    expect(sent).toMatchObject({ resolver: null });
  });

  it("of tls has defaults for port and days, also if emptied, and supports STARTTLS", async () => {
    const { type, choose, save, user } = await openCreate();
    await choose("TLS");
    await type(/^Name/, "Mail");
    await type(host, "mail.example");
    await type(/^Minimum days left/, "");
    await user.selectOptions(await field(/^STARTTLS/), "SMTP");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "tls", port: 443, minDaysLeft: 14, starttls: "smtp" }));
    expect(sent).toMatchObject({ servername: null });
  });

  it.each([
    ["Redis", { type: "redis", port: 6379, username: null, password: "s3cret", tls: true, verifyTls: false }],
    ["PostgreSQL", { type: "postgres", port: 5432, password: "s3cret", database: null, query: "SELECT 1" }],
    ["MySQL", { type: "mysql", port: 3306, password: "s3cret" }],
    ["Mail", { type: "mail", protocol: "smtp", security: "tls", port: 465, password: "s3cret" }],
  ])("of %s has a hidden password and the usual port", async (kind, expected) => {
    const { type, choose, save, user } = await openCreate();
    await choose(kind);
    await type(/^Name/, "Store");
    await type(host, "store.example");
    if (kind !== "Redis") await type(/^Username/, "sonde");
    await type(/^Password/, "s3cret");
    expect((await field(/^Password/)).type).toBe("password");
    if (kind === "Redis") {
      await user.click(screen.getByText("Use TLS"));
      await user.click(screen.getByText("Verify TLS certificates"));
    }
    await save();
    await waitFor(() => expect(sent).toMatchObject({ host: "store.example", ...expected }));
  });

  it("of a domain is checked daily by default, and at most every six hours", async () => {
    const { type, choose, save, user } = await openCreate();
    const interval = /^Interval/;
    for (const [kind, minutes] of [
      ["Domain", "1440"],
      ["TCP", "1"],
      ["Domain", "1440"],
    ] as const) {
      await choose(kind);
      expect((await field(interval)).value).toBe(minutes);
    }
    await user.type(screen.getByRole("textbox", { name: /^Domain/ }), "shop.example");
    await type(interval, "5h");
    await save();
    expect(await screen.findByText("The interval must be at least 360 min")).toBeTruthy();
    await type(interval, "");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "domain", interval: 1440, minDaysLeft: 30 }));
  });

  it("of mail uses the default port of its protocol and encryption", async () => {
    const { type, choose, save, user } = await openCreate();
    await choose("Mail");
    await type(/^Name/, "Mail");
    await type(host, "mail.example");
    await user.selectOptions(await field(/^Protocol/), "IMAP");
    await user.selectOptions(await field(/^Encryption/), "STARTTLS");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ protocol: "imap", port: 143, username: null, password: null }));
  });

  it("of gRPC requires a port and accepts a service", async () => {
    const { type, choose, save } = await openCreate();
    await choose("gRPC");
    await type(/^Name/, "Orders");
    await type(host, "orders.example");
    await type(/^Service/, "shop.v1.Orders");
    await save();
    expect(await screen.findByText("Port is required")).toBeTruthy();
    await type(port, "50051");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "grpc", port: 50051, service: "shop.v1.Orders" }));
  });

  it("of WebSocket has an address and headers", async () => {
    const { type, choose, save } = await openCreate();
    await choose("WebSocket");
    await type(/^Name/, "Feed");
    await type(/^URL/, "https://live.example/");
    await save();
    expect(await screen.findByText("Please enter a full ws or wss address")).toBeTruthy();
    await type(/^URL/, "wss://live.example/");
    await type(/^Expected response/, "ready");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "websocket", url: "wss://live.example/", expect: "ready" }));
    expect(sent).toMatchObject({ headers: [], send: null, minDaysLeft: null });
  });

  it("of http can require a minimum certificate lifetime unless the address is plain http", async () => {
    const { type, save, user } = await openCreate();
    await type(/^Name/, "Shop");
    await type(/^URL/, "http://shop.example/");
    await user.click(screen.getByText("Advanced"));
    expect(screen.queryByLabelText(/^Minimum days left/)).toBeNull();
    await type(/^URL/, "https://shop.example/");
    await type(/^Minimum days left/, "30");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "http", minDaysLeft: 30 }));
  });

  it("of http can use a proxy with a hidden password and errors at its fields", async () => {
    const { type, save, user } = await openCreate();
    await type(/^Name/, "Shop");
    await type(/^URL/, "https://shop.example/");
    await user.click(screen.getByText("Advanced"));
    expect(screen.queryByLabelText(/^Proxy URL/)).toBeNull();
    await user.click(screen.getByText("Connection"));
    await type(/^Proxy URL/, "proxy.example");
    await type(/^Password/, "s3cret");
    expect((await field(/^Password/)).type).toBe("password");
    await user.selectOptions(await field(/^IP version/), "IPv4 only");
    await save();
    const fault = await screen.findByText(/^Please enter the address of a proxy/);
    expect((await field(/^Proxy URL/)).getAttribute("aria-describedby")).toBe(fault.id);
    expect(screen.getByText("A password requires a username")).toBeTruthy();
    await type(/^Proxy URL/, "socks5://proxy.example:1080");
    await type(/^Username/, "sonde");
    await save();
    const proxy = { url: "socks5://proxy.example:1080", username: "sonde", password: "s3cret" };
    await waitFor(() => expect(sent).toMatchObject({ proxy, ipFamily: "ipv4", oauth: null, clientCertificate: null }));
  });

  it("of http shows the server's errors of a client certificate next to its key", async () => {
    const words = "The private key does not belong to the certificate";
    on("post", "/monitors", () =>
      fail(400, "invalid", "The request is not valid", [{ path: "clientCertificate.key", message: words }]),
    );
    const { type, save, user } = await openCreate();
    await type(/^Name/, "Shop");
    await type(/^URL/, "https://shop.example/");
    await user.click(screen.getByText("Advanced"));
    await user.click(screen.getByText("Connection"));
    await type(/^Certificate/, "CERT");
    await type(/^Private key/, "KEY");
    await user.click(screen.getByText("Connection"));
    await save();
    const fault = await screen.findByText(words);
    expect((await field(/^Private key/)).getAttribute("aria-describedby")).toBe(fault.id);
  });

  it("keeps shared values when the kind changes, and each kind's own when it is selected again", async () => {
    const { type, choose, save } = await openCreate();
    await type(/^Name/, "Mail");
    await type(/^URL/, "https://mail.example/");
    await choose("TCP");
    await type(host, "mail.example");
    await type(port, "587");
    await choose("HTTP");
    expect((await field(/^URL/)).value).toBe("https://mail.example/");
    await choose("DNS");
    expect((await field(host)).value).toBe("mail.example");
    await choose("TLS");
    expect((await field(host)).value).toBe("mail.example");
    expect((await field(port)).value).toBe("587");
    await save();
    await waitFor(() => expect(sent).toMatchObject({ type: "tls", name: "Mail", host: "mail.example", port: 587 }));
  });

  it("does not carry the default port of one kind to another", async () => {
    const { choose } = await openCreate();
    await choose("TLS");
    expect((await field(port)).value).toBe("443");
    await choose("TCP");
    expect((await field(port)).value).toBe("");
  });

  it("shows errors next to the fields, and clears them when the kind changes", async () => {
    const { type, choose, save } = await openCreate();
    await choose("TCP");
    await type(port, "70000");
    await save();
    expect(await screen.findByText("Host is required")).toBeTruthy();
    const fault = screen.getByText("Enter a port from 1 to 65535");
    expect((await field(port)).getAttribute("aria-describedby")).toBe(fault.id);
    await choose("DNS");
    expect(screen.queryByText("Host is required")).toBeNull();
    expect(screen.queryByText("Please fix the highlighted fields")).toBeNull();
    expect(sent).toBeUndefined();
  });

  it("shows the server's errors next to the fields, those of a list at its field", async () => {
    on("post", "/monitors", () =>
      fail(400, "invalid", "The request is not valid", [
        { path: "resolver", message: "This address cannot be monitored" },
        { path: "expect.1", message: "This is no address" },
        { path: "tags.0", message: "This tag is taken" },
        { path: "url", message: "Unknown field" },
      ]),
    );
    const { type, choose, save } = await openCreate();
    await choose("DNS");
    await type(/^Name/, "Mail");
    await type(host, "shop.example");
    await save();
    for (const [label, words] of [
      [/^Resolver/, "This address cannot be monitored"],
      [/^Expected values/, "This is no address"],
      [/^Tags/, "This tag is taken"],
    ] as const) {
      const fault = await screen.findByText(words);
      expect((await field(label)).getAttribute("aria-describedby")).toBe(fault.id);
    }
    expect(screen.getByText("The request is not valid · Unknown field")).toBeTruthy();
    expect((await field(host)).value).toBe("shop.example");
  });

  it("reports a tag that is too long next to the tags", async () => {
    const { type, save, user } = await openCreate();
    await type(/^Name/, "Shop");
    await type(/^URL/, "https://shop.example/");
    await user.click(screen.getByText("Advanced"));
    await type(/^Tags/, `shop, ${"x".repeat(41)}`);
    await save();
    expect(await screen.findByText("A tag must have 1 to 40 characters")).toBeTruthy();
  });

  it("can be tested for every kind, and another kind does not show that result", async () => {
    let tested: unknown;
    on("post", "/monitors/test", async ({ request }) => {
      tested = await request.json();
      return ok({ result: { ...result, timings: { dns: 5, total: 6 } } });
    });
    const { type, choose, user } = await openCreate();
    await choose("DNS");
    await type(/^Name/, "Mail");
    await type(host, "shop.example");
    await user.click(screen.getByRole("button", { name: "Test" }));
    expect(await screen.findByRole("region", { name: "Result" })).toBeTruthy();
    expect(tested).toMatchObject({ type: "dns", host: "shop.example", recordType: "A" });
    await choose("TLS");
    expect(screen.queryByRole("region", { name: "Result" })).toBeNull();
  });
});

describe("a stored monitor", () => {
  const facts: Record<CheckType, object> = {
    http: { type: "http", url: "https://shop.example/health", headers: monitor.headers, minDaysLeft: null },
    flow: { type: "flow", steps: monitors.flow.steps, followRedirects: true, minDaysLeft: null },
    tcp: { type: "tcp", host: "cache.example", port: 6379, send: "PING\r\n", expect: "+PONG" },
    dns: { type: "dns", recordType: "MX", resolver: "192.0.2.53", expect: monitors.dns.expect },
    tls: { type: "tls", host: "mail.example", port: 587, minDaysLeft: 21, starttls: "smtp", servername: null },
    icmp: { type: "icmp", host: "gateway.example", count: 5, maxLoss: 20, maxRtt: null },
    domain: { type: "domain", domain: "www.shop.example", minDaysLeft: 45, interval: 1440 },
    ntp: { type: "ntp", host: "a.example", port: 123, maxOffset: 250 },
    websocket: { type: "websocket", url: "wss://live.example/feed", headers: monitors.websocket.headers, expect: null },
    grpc: { type: "grpc", port: 50051, service: "shop.v1.Orders", tls: true, verifyTls: false },
    mail: { type: "mail", protocol: "imap", security: "starttls", password: "••••••", minDaysLeft: 14 },
    postgres: { type: "postgres", database: "shop", password: "••••••", assertions: monitors.postgres.assertions },
    mysql: { type: "mysql", port: 3306, database: null, query: "SELECT 1", password: "••••••" },
    redis: { type: "redis", port: 6379, username: null, password: "••••••", tls: false, minDaysLeft: null },
    heartbeat: { type: "heartbeat", cron: "0 3 * * *", timeZone: "Europe/Berlin", every: null, maxRuntime: 7200 },
    inbound: { type: "inbound", format: "alertmanager", closeAfter: 480 },
    group: { type: "group", members: [11, 12, 13], tag: null, need: 2, notifyMembers: true },
  };

  it.each(checkTypes)("of %s shows its kind as fixed, and sends back what it shows", async (type) => {
    on("get", "/monitors/7", () => ok({ monitor: monitors[type] }));
    const { user } = await renderScreen("/monitors/edit/7", { as: admin });
    await user.type(await field(/^Name/), " 2");
    expect(screen.queryByRole("combobox", { name: "Monitor type" })).toBeNull();
    expect(screen.getByText("Monitor type").nextElementSibling?.textContent).toBe(kindForms[type].name.en);
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toMatchObject({ name: "Shop API 2", ...facts[type] }));
  });

  it("of tcp keeps its stored line breaks unless the text is changed", async () => {
    on("get", "/monitors/7", () => ok({ monitor: { ...monitors.tcp, send: "one\ntwo\r\n" } }));
    const { user } = await renderScreen("/monitors/edit/7", { as: admin });
    await user.type(await field(/^Name/), " 2");
    await user.click(screen.getByRole("button", { name: "Save changes" }));
    await waitFor(() => expect(sent).toMatchObject({ send: "one\ntwo\r\n" }));
  });
});
