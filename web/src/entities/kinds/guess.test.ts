import { describe, expect, it } from "vitest";
import { guessKind } from "./guess.ts";
import { kindForms, proposedName } from "./kinds.ts";

const onCron = { by: "cron", amount: "1", unit: "d" };

describe("a kind of check", () => {
  it.each([
    ["https://shop.example/health", "http", { url: "https://shop.example/health" }],
    ["http://shop.example", "http", { url: "http://shop.example" }],
    ["flow://shop.example", "http", { url: "flow://shop.example" }],
    ["shop.example", "http", { url: "https://shop.example" }],
    ["shop.example/health?a=1", "http", { url: "https://shop.example/health?a=1" }],
    ["shop.example:8443", "http", { url: "https://shop.example:8443" }],
    ["localhost:8080", "http", { url: "http://localhost:8080" }],
    ["htp:/bad", "http", { url: "htp:/bad" }],
    ["ftp://files.example", "http", { url: "ftp://files.example" }],
    ["wss://live.example/feed", "websocket", { url: "wss://live.example/feed" }],
    [
      "postgres://sonde:s3cret@db.example:5433/shop?sslmode=require",
      "postgres",
      { host: "db.example", port: "5433", username: "sonde", password: "s3cret", database: "shop", tls: true },
    ],
    ["postgresql://db.example", "postgres", { host: "db.example" }],
    ["postgres://a:p%40ss/w@rd@db/x", "postgres", { host: "db", username: "a", password: "p@ss/w@rd", database: "x" }],
    ["postgres://a:100%@db", "postgres", { host: "db", username: "a", password: "100%" }],
    ["mysql://root@[::1]:3307", "mysql", { host: "::1", port: "3307", username: "root" }],
    ["mariadb://db.example/shop", "mysql", { host: "db.example", database: "shop" }],
    ["rediss://:s3cret@cache.example/0", "redis", { host: "cache.example", password: "s3cret", tls: true }],
    ["db.example:5432", "postgres", { host: "db.example", port: "5432" }],
    ["10.0.0.5:3306", "mysql", { host: "10.0.0.5", port: "3306" }],
    ["[2001:db8::1]:6379", "redis", { host: "2001:db8::1", port: "6379" }],
    ["orders.example:50051", "grpc", { host: "orders.example", port: "50051" }],
    ["queue.example:5672", "tcp", { host: "queue.example", port: "5672" }],
    ["tcp://queue.example:80", "tcp", { host: "queue.example", port: "80" }],
    ["tls://shop.example:8443", "tls", { host: "shop.example", port: "8443" }],
    ["smtp.example.com", "mail", { host: "smtp.example.com", protocol: "smtp", security: "tls" }],
    ["imap.example.com", "mail", { host: "imap.example.com", protocol: "imap", security: "tls" }],
    ["pop.example.com", "mail", { host: "pop.example.com", protocol: "pop3", security: "tls" }],
    ["mx.example:25", "mail", { host: "mx.example", port: "25", protocol: "smtp", security: "none" }],
    [
      "smtp://u:p@mx.example:465",
      "mail",
      { host: "mx.example", port: "465", username: "u", password: "p", protocol: "smtp", security: "tls" },
    ],
    ["smtps://mx.example:587", "mail", { host: "mx.example", port: "587", protocol: "smtp", security: "tls" }],
    ["imaps://mail.example", "mail", { host: "mail.example", protocol: "imap", security: "tls" }],
    [
      "grpcs://orders.example:443/shop.v1.Orders",
      "grpc",
      { host: "orders.example", port: "443", service: "shop.v1.Orders", tls: true },
    ],
    ["dns://shop.example/mx", "dns", { host: "shop.example", recordType: "MX" }],
    ["ntp.example.com", "ntp", { host: "ntp.example.com" }],
    ["domain://shop.example", "domain", { domain: "shop.example" }],
    ["192.168.1.1", "icmp", { host: "192.168.1.1" }],
    ["fe80::1", "icmp", { host: "fe80::1" }],
    ["ping://router.example", "icmp", { host: "router.example" }],
    ["0 3 * * *", "heartbeat", { every: onCron, cron: "0 3 * * *" }],
    ["*/5 * * * MON-FRI", "heartbeat", { every: onCron, cron: "*/5 * * * MON-FRI" }],
    ["@daily", "heartbeat", { every: onCron, cron: "@daily" }],
  ])("is guessed from %s: %s", (typed, type, values) => {
    expect(guessKind(` ${typed} `)).toEqual({ type, values });
    const fields = Object.keys(kindForms[type as keyof typeof kindForms].fields);
    expect(fields).toEqual(expect.arrayContaining(Object.keys(values)));
  });

  it.each(["", "h", "https:", "1", "192.168", "999.1.1.1", "0 3 *", "shop.example:", "postgre"])(
    "is a web address while only %j is typed",
    (typed) => expect(guessKind(typed).type).toBe("http"),
  );

  it("is guessed without delay from a text of many @", () => {
    expect(guessKind(`postgres://${"/@".repeat(50_000)}#`)).toEqual({ type: "postgres", values: {} });
  });

  it("never proposes a name that contains a password", () => {
    for (const typed of [
      "postgres://sonde:s3cret@db.example/shop",
      "postgres://sonde:s3cret",
      "https://a:s3cret@x.example",
    ]) {
      const { type, values } = guessKind(typed);
      expect(proposedName(type, values)).not.toContain("s3cret");
    }
  });
});
