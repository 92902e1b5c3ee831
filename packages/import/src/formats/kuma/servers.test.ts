import { expect, test } from "vitest";
import { monitorOf, type Row } from "../testing/kuma.ts";

test.each([
  [
    { type: "ping", hostname: "router.example.com", ping_count: 4 },
    { type: "icmp", host: "router.example.com", count: 4 },
    { maxLoss: 99 },
  ],
  [
    { type: "ping", hostname: "router.example.com", ping_count: 9, timeout: 1.5 },
    { type: "icmp", host: "router.example.com", count: 6 },
    { maxLoss: 99 },
  ],
  [
    {
      type: "postgres",
      database_connection_string: "postgres://so%20nde:p%40ss@db.example.com/shop?sslmode=require",
    },
    { type: "postgres", host: "db.example.com", port: 5432, username: "so nde", password: "p@ss", database: "shop" },
    { tls: true, verifyTls: false, query: "SELECT 1" },
  ],
  [
    {
      type: "mysql",
      database_connection_string: "mysql://sonde@[::1]:3307/shop",
      radius_password: "p@ss",
      database_query: "SELECT 2",
    },
    { type: "mysql", host: "::1", port: 3307, username: "sonde", password: "p@ss", database: "shop" },
    { tls: false, query: "SELECT 2" },
  ],
  [
    { type: "redis", database_connection_string: "rediss://:p%40ss@cache.example.com:6380", ignore_tls: 1 },
    { type: "redis", host: "cache.example.com", port: 6380, password: "p@ss" },
    { tls: true, verifyTls: false },
  ],
  [
    { type: "smtp", hostname: "mail.example.com", port: 587, smtp_security: "starttls" },
    { type: "mail", protocol: "smtp", host: "mail.example.com", port: 587 },
    { security: "starttls", minDaysLeft: 7 },
  ],
  [
    { type: "websocket-upgrade", url: "wss://live.example.com/feed", ws_subprotocol: "feed.v1" },
    { type: "websocket", url: "wss://live.example.com/feed", verifyTls: true },
    { headers: [{ name: "Sec-WebSocket-Protocol", value: "feed.v1" }], minDaysLeft: 7 },
  ],
  [
    {
      type: "grpc-keyword",
      grpc_url: "orders.example.com:50051",
      grpc_service_name: "Health",
      grpc_method: "check",
      grpc_body: '{"service": "shop.v1.Orders"}',
      grpc_enable_tls: 1,
    },
    { type: "grpc", host: "orders.example.com", port: 50051 },
    { tls: true, service: "shop.v1.Orders" },
  ],
])("a server becomes a check of its kind: %o", (row, server, more) => {
  const { check, why } = monitorOf(row as Row);
  expect(why).toEqual([]);
  expect(check).toMatchObject({ ...server, ...more });
});

test.each([
  [{ type: "postgres", database_connection_string: "db" }, "Its connection string cannot be read"],
  [
    { type: "grpc-keyword", grpc_url: "a:1", grpc_method: "list" },
    "Sonde does not support this type of check (grpc-keyword)",
  ],
  [
    { type: "mysql", database_connection_string: "mysql://a@b/c", database_query: "DELETE FROM a" },
    "query: The query must start with SELECT, WITH, SHOW, VALUES or TABLE",
  ],
])("a server is refused with the reason: %o", (row, reason) => {
  expect(monitorOf(row as Row).why).toEqual([reason]);
});
