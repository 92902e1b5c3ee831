import { once } from "node:events";
import type { Socket } from "node:net";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { afterEach, describe, expect, it } from "vitest";
import { probe } from "../testing/check.ts";
import { closeServers, serveSockets } from "../testing/loopback.ts";

afterEach(closeServers);

const int16 = (value: number) => Buffer.from([(value >> 8) & 255, value & 255]);
const int32 = (value: number) => Buffer.concat([int16(value >> 16), int16(value)]);
const message = (type: string, ...parts: (Buffer | string)[]) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part as string, "latin1")));
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
};
const packet = (sequence: number, body: string) =>
  Buffer.concat([Buffer.from([body.length & 255, body.length >> 8, 0, sequence]), Buffer.from(body, "latin1")]);

const answering =
  (...answers: Buffer[]) =>
  (socket: Socket) =>
    void socket.on("data", () => socket.write(answers.shift() ?? ""));
const checkAt = async (
  draft: Omit<Extract<CheckDraft, { type: "postgres" | "mysql" | "grpc" | "mail" | "tls" | "redis" }>, "host" | "port">,
  onSocket: (socket: Socket) => void,
) => probe({ ...draft, host: "127.0.0.1", port: await serveSockets(onSocket) } as CheckDraft);

const login = { username: "sonde", password: "secret" };
const ready = message("Z", "I");
const loggedIn = Buffer.concat([message("R", int32(0)), ready]);
const begun = Buffer.concat([message("C", "BEGIN\0"), message("C", "SET\0"), ready]);
const begin = Buffer.concat([message("1"), message("2")]);

describe("a PostgreSQL check is down, and the runner survives, if the server sends", () => {
  const check = (...answers: Buffer[]) => checkAt({ type: "postgres", ...login }, answering(...answers));

  it.each([
    [2, "Kerberos"],
    [7, "GSSAPI"],
    [9, "SSPI"],
    [99, "method 99"],
  ])("a request for an unsupported login (%i)", async (code, method) => {
    expect(await check(message("R", int32(code)))).toMatchObject({
      error: { kind: "status", message: `The server requires ${method} login, which checks do not support` },
    });
  });

  it.each<[string, Buffer]>([
    ["a negative count of values", message("D", int16(-1))],
    ["a negative length of a value", message("D", int16(1), int32(-5))],
    ["a value that is longer than its message", message("D", int16(1), int32(60_000), "a")],
    ["a length that leads back", message("D", int16(3), int32(8), "12345678", int32(-16))],
    ["a count of columns without columns", message("T", int16(300))],
    ["an error without an end", message("E", "SFATAL\0Mno")],
    ["a notice without an end", message("N", "")],
    ["a message that is shorter than its header", Buffer.concat([Buffer.from("C"), int32(2)])],
  ])("%s", async (_what, answer) => {
    expect(await check(loggedIn, begun, Buffer.concat([begin, answer]))).toMatchObject({
      error: { kind: "protocol", message: "The server's response is not valid" },
    });
  });

  it("endless notices", async () => {
    const notices = Buffer.concat(Array<Buffer>(1200).fill(message("N", "Ma\0\0")));
    expect(await check(Buffer.concat([loggedIn, notices]))).toMatchObject({
      error: { kind: "protocol", message: "The response is larger than 64 KB" },
    });
  });

  it("a refusal of unencrypted connections, whose reason comes last", async () => {
    const reason = `no pg_hba.conf entry for host "203.0.113.200", user "sonde", database "a-long-name", no encryption`;
    expect(await check(message("E", `SFATAL\0C28000\0M${reason}\0\0`))).toMatchObject({
      error: { kind: "status", message: "The server does not allow this login without TLS" },
    });
    const other = reason.replace("no encryption", "SSL encryption");
    expect(await check(message("E", `SFATAL\0C28000\0M${other}\0\0`))).toMatchObject({
      error: { kind: "status", message: `The login was refused: ${other}` },
    });
  });
});

describe("a MySQL check", () => {
  const greeting = packet(
    0,
    `\x0a8.0.36\0\x07\0\0\0saltsalt\0\xff\xf7\x21\x02\0\xff\xc1\x15${"\0".repeat(10)}saltsaltsalt\0mysql_native_password\0`,
  );
  const ok = (sequence: number) => packet(sequence, "\0\0\0\x02\0\0\0");
  const check = (draft: object, ...answers: Buffer[]) =>
    checkAt({ type: "mysql", ...login, ...draft } as never, (socket) => {
      socket.write(greeting);
      answering(...answers)(socket);
    });
  const names = ["def", "", "t", "t", "n", "n"].map((name) => String.fromCharCode(name.length) + name).join("");
  const column = (type: number) => packet(2, `${names}\x0c\x21\0\x09\0\0\0${String.fromCharCode(type)}\0\0\0\0\0`);
  const row = (type: number, cell: string) =>
    Buffer.concat([
      packet(1, "\x01"),
      column(type),
      packet(3, "\xfe\0\0\x02\0"),
      packet(4, cell),
      packet(5, "\xfe\0\0\x02\0"),
    ]);
  const equals = (value: string | number) => ({
    assertions: [{ source: "json", property: "$.n", op: "equals", value }],
  });

  it.each<[string, number, string, string | number]>([
    ["a small number", 3, "\x0242", 42],
    ["a date", 10, "\x0a2026-01-31", "2026-01-31"],
    ["a large number", 8, "\x139007199254740993000", "9007199254740993000"],
    ["a number that is none", 5, "\x03inf", "inf"],
  ])("compares %s as the server writes it", async (_what, type, cell, value) => {
    const answer = row(type, cell);
    expect(await check(equals(value), ok(2), ok(1), ok(1), answer)).toMatchObject({ status: "up" });
  });

  it.each([1, 3, 8, 245, 255])("fails if a value of type %i claims an absurd length", async (type) => {
    const answer = row(type, "\xfe\xff\xff\xff\xff\xff\xff\xff\x7f");
    expect(await check({}, ok(2), ok(1), ok(1), answer)).toMatchObject({ status: "up" });
  });

  it("reports a login that is not supported, and one that requires TLS", async () => {
    expect(await check({}, packet(2, "\xfeclient_ed25519\0saltsaltsalt"))).toMatchObject({
      error: { kind: "status", message: "The server requires ed25519 login, which checks do not support" },
    });
    const refusal = "Connections using insecure transport are prohibited while --require_secure_transport=ON.";
    expect(await check({}, packet(2, `\xff\x57\x0c#HY000${refusal}`))).toMatchObject({
      error: { kind: "status", message: "The server does not allow this login without TLS" },
    });
  });

  it.each(["mysql", "postgres"] as const)("or PostgreSQL check (%s) sends no query that writes files", async (type) => {
    const query = type === "mysql" ? "SELECT 1 /*!50000 INTO OUTFILE '/tmp/a' */" : "SELECT lo_export(1, '/tmp/a')";
    expect(await checkAt({ type, ...login, query } as never, () => {})).toMatchObject({
      error: { kind: "status", message: "The query must only read data" },
    });
  });
});

it("a gRPC check reports an HTTP/1 server", async () => {
  const answer = Buffer.from("HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n");
  expect(await checkAt({ type: "grpc" }, answering(answer))).toMatchObject({
    error: { kind: "protocol", message: "The server does not support HTTP/2, which gRPC requires" },
  });
});

it.each<[string, object, string]>([
  ["smtp", { type: "mail", protocol: "smtp", security: "starttls" }, "554 5.7.1 no service for you"],
  ["smtp", { type: "tls", starttls: "smtp" }, "554 5.7.1 no service for you"],
  ["imap", { type: "tls", starttls: "imap" }, "* BYE too many connections"],
  ["pop3", { type: "tls", starttls: "pop3" }, "-ERR later"],
])("STARTTLS (%s) reports the refusal of a server that greets with one: %j", async (_protocol, draft, greeting) => {
  const outcome = await checkAt(draft as never, (socket) => void socket.write(`${greeting}\r\n`));
  expect(outcome).toMatchObject({
    error: { kind: "protocol", message: `The server returned an error: ${greeting}` },
  });
});

it("a server that keeps sending is disconnected", async () => {
  const left = Promise.withResolvers<unknown>();
  const outcome = await checkAt({ type: "redis" }, (socket) => {
    left.resolve(once(socket, "close"));
    socket.once("data", () => socket.write("+PONG\r\n"));
    const timer = setInterval(() => socket.write("+"), 100);
    socket.once("close", () => clearInterval(timer));
  });
  expect(outcome).toMatchObject({ status: "up" });
  await left.promise;
});

it("a reply is read after its line ends, even if it arrives in small pieces", async () => {
  const answer = `-${"a".repeat(3000)}\r\n`;
  const outcome = await checkAt({ type: "redis" }, (socket) => {
    let at = 0;
    const write = () => at < answer.length && socket.write(answer[at++]!, () => setImmediate(write));
    socket.once("data", write);
  });
  expect(outcome).toMatchObject({ error: { kind: "status", message: expect.stringMatching(/^The server returned/) } });
});
