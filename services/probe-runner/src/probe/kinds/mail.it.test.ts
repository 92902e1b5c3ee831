import type { AddressInfo, Socket } from "node:net";
import { setDefaultCACertificates } from "node:tls";
import type { CheckDraft } from "@sonde/proto/http/monitors/kinds";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { makeCertificate } from "../../testing/certificate.ts";
import { type CheckWorld, kindOf, probe } from "../../testing/check.ts";
import { closeLater, closeServers, serveSockets } from "../../testing/loopback.ts";
import { hasMailServers, type MailPorts, startMailServers } from "../../testing/mail-servers.ts";
import { serveTls } from "../../testing/tls-server.ts";

const certificate = makeCertificate({ names: ["127.0.0.1"], notAfter: new Date(Date.now() + 10.5 * 86_400_000) });
beforeAll(() => setDefaultCACertificates([certificate.cert]));
afterEach(closeServers);

type Mail = Omit<Extract<CheckDraft, { type: "mail" }>, "type" | "host" | "port">;
const check = (port: number, mail: Mail, world?: CheckWorld) =>
  probe({ type: "mail", host: "127.0.0.1", port, ...mail }, world);

const login = { username: "sonde", password: "correct horse" };

async function serveSmtp(options: SMTPServerOptions = {}): Promise<number> {
  const server = new SMTPServer({
    ...certificate,
    authOptional: true,
    onAuth({ username, password }, _session, done) {
      const isRight = username === login.username && password === login.password;
      done(isRight ? null : new Error("Invalid login"), isRight ? { user: username } : undefined);
    },
    ...options,
  });
  server.on("error", () => {});
  closeLater(() => server.close());
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return (server.server.address() as AddressInfo).port;
}

describe("an SMTP check", () => {
  it("is up if the server greets, with the phases of a connection", async () => {
    const port = await serveSmtp({ hideSTARTTLS: true });
    expect(await check(port, { protocol: "smtp", security: "none" })).toEqual({
      status: "up",
      traces: expect.anything(),
      timings: {
        dns: expect.any(Number),
        connect: expect.any(Number),
        firstByte: expect.any(Number),
        total: expect.any(Number),
      },
    });
  });

  it.each([
    ["tls", { secure: true }],
    ["starttls", {}],
  ] as const)("logs in over TLS (%s), and judges the certificate", async (security, options) => {
    const port = await serveSmtp(options);
    const outcome = await check(port, { protocol: "smtp", security, ...login });
    expect(outcome).toMatchObject({ status: "up", timings: { tls: expect.any(Number) } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
    expect(await check(port, { protocol: "smtp", security, ...login, minDaysLeft: 12 })).toMatchObject({
      error: { kind: "tls", message: "Certificate expires in 10 days (minimum 12)" },
    });
    expect(await check(port, { protocol: "smtp", security, ...login, password: "wrong" })).toMatchObject({
      error: { kind: "status", message: "The login was refused: 535 Invalid login" },
    });
  });

  it("logs in with LOGIN if nothing else is offered", async () => {
    const port = await serveSmtp({ secure: true, authMethods: ["LOGIN"] });
    expect(await check(port, { protocol: "smtp", ...login })).toMatchObject({ status: "up" });
    expect(kindOf(await check(port, { protocol: "smtp", ...login, username: "eve" }))).toBe("status");
  });

  it("is down if the server does not offer STARTTLS", async () => {
    const port = await serveSmtp({ hideSTARTTLS: true, disabledCommands: ["STARTTLS"] });
    expect(kindOf(await check(port, { protocol: "smtp", security: "starttls" }))).toBe("protocol");
  });
});

const serveLines = (greeting: string, answers: Readonly<Record<string, string>>, received: string[] = []) =>
  serveSockets((socket: Socket) => {
    socket.write(greeting);
    socket.on("data", (data) => {
      for (const line of data.toString().split("\r\n").filter(Boolean)) {
        received.push(line);
        const answer = Object.entries(answers).find(([begin]) => line.startsWith(begin))?.[1];
        if (answer !== undefined) socket.write(answer);
      }
    });
  });

const imap = {
  "a NOOP": "a OK done\r\n",
  "b LOGIN": '* CAPABILITY IMAP4rev2\r\nb OK "in"\r\n',
  c: "* BYE\r\nc OK\r\n",
};

describe("an IMAP check", () => {
  it("is up if the server greets and responds, and if a login with a quoted name succeeds", async () => {
    const received: string[] = [];
    const port = await serveLines("* OK ready\r\n", imap, received);
    expect(await check(port, { protocol: "imap", security: "none" })).toMatchObject({ status: "up" });
    const quoted = { username: 'so"nde', password: "back\\slash" };
    expect(await check(port, { protocol: "imap", security: "none", ...quoted })).toMatchObject({ status: "up" });
    expect(received).toContain('b LOGIN "so\\"nde" "back\\\\slash"');
    await expect.poll(() => received.filter((line) => line === "c LOGOUT")).toHaveLength(2);
  });

  it("logs in with AUTHENTICATE if the password is not ASCII", async () => {
    const received: string[] = [];
    const plain = Buffer.from("\0sonde\0pässword").toString("base64");
    const answers = { "b AUTHENTICATE PLAIN": "+ \r\n", [plain]: "b OK\r\n" };
    const port = await serveLines("* OK ready\r\n", answers, received);
    const given = { username: "sonde", password: "pässword" };
    expect(await check(port, { protocol: "imap", security: "none", ...given })).toMatchObject({ status: "up" });
  });

  it.each([
    ["* BYE too busy\r\n", {}, "status", "The server returned an error: * BYE too busy"],
    ["* OK\r\n", { "b LOGIN": "b NO [AUTHENTICATIONFAILED] no\r\n" }, "status", /^The login was refused: b NO/],
    ["220 smtp\r\n", {}, "protocol", "The server does not speak IMAP; it replied 220 smtp"],
  ])("is down if the server greets with %j", async (greeting, answers, kind, message) => {
    const port = await serveLines(greeting, answers);
    expect(await check(port, { protocol: "imap", security: "none", ...login })).toMatchObject({
      error: { kind, message: typeof message === "string" ? message : expect.stringMatching(message) },
    });
  });
});

describe("a POP3 check", () => {
  it("is up if the server greets, and if the login succeeds", async () => {
    const port = await serveLines("+OK ready\r\n", { USER: "+OK\r\n", "PASS correct horse": "+OK in\r\n" });
    expect(await check(port, { protocol: "pop3", security: "none" })).toMatchObject({ status: "up" });
    expect(await check(port, { protocol: "pop3", security: "none", ...login })).toMatchObject({ status: "up" });
  });

  it("is down if the login fails, without the password in the message", async () => {
    const port = await serveLines("+OK ready\r\n", { USER: "+OK\r\n", PASS: "-ERR not correct horse\r\n" });
    expect(await check(port, { protocol: "pop3", security: "none", ...login })).toMatchObject({
      error: { kind: "status", message: "The login was refused: -ERR not ••••••" },
    });
  });
});

describe.skipIf(!hasMailServers)("a check of Debian's Postfix and Dovecot (skipped where root may not mount)", () => {
  let ports: MailPorts;
  let stop: () => Promise<void>;
  const users = { [login.username]: login.password, anna: 'pä"ss\\wörd', eve: 'pl"a\\in' };
  beforeAll(async () => {
    ({ ports, stop } = await startMailServers(users, certificate));
  });
  afterAll(() => stop());

  const protocols = ["smtp", "imap", "pop3"] as const;
  const both = protocols.flatMap((protocol) =>
    (["none", "starttls", "tls"] as const).map((security) => ({ protocol, security })),
  );
  // Dovecot considers connections from its own machine as secure as TLS.
  const takingLogins = both.filter(({ protocol, security }) => protocol !== "smtp" || security !== "none");

  it.each(both)("is up if $protocol greets ($security), and judges its certificate", async (mail) => {
    const port = ports[mail.protocol][mail.security];
    const outcome = await check(port, { ...mail, minDaysLeft: 3 });
    expect(outcome).toMatchObject({ status: "up", timings: { firstByte: expect.any(Number) } });
    expect("certificateExpiresAtMs" in outcome).toBe(mail.security !== "none");
    if (mail.security === "none") return;
    expect(kindOf(await check(port, { ...mail, ...login, minDaysLeft: 12 }))).toBe("tls");
  });

  it.each(takingLogins)("logs in with $protocol ($security), or reports the refusal", async (mail) => {
    const port = ports[mail.protocol][mail.security];
    for (const [username, password] of Object.entries(users)) {
      expect(await check(port, { ...mail, username, password })).toMatchObject({ status: "up" });
    }
    expect(await check(port, { ...mail, ...login, password: "wrong" })).toMatchObject({
      error: { kind: "status", message: expect.stringMatching(/^The login was refused: .*authentication failed/i) },
    });
  });

  it("is refused if SMTP accepts logins only within TLS", async () => {
    expect(await check(ports.smtp.none, { protocol: "smtp", security: "none", ...login })).toMatchObject({
      error: { kind: "status", message: "The login was refused: 503 5.5.1 Error: authentication not enabled" },
    });
  });

  it.each(protocols)(
    "is down if %s is reached with TLS in place of plain text, or the other way round",
    async (protocol) => {
      const [inClear, withinTls] = [ports[protocol].none, ports[protocol].tls];
      expect(kindOf(await check(inClear, { protocol, security: "tls" }))).toBe("tls");
      const outcome = await check(withinTls, { protocol, security: "none" }, { timeoutMs: 1000 });
      expect(outcome).toMatchObject({ status: "down", error: { kind: expect.stringMatching(/^(timeout|protocol)$/) } });
    },
  );
});

describe("a server that does not respond", () => {
  it.each(["smtp", "imap", "pop3"] as const)("over %s is down by `timeout` at the deadline", async (protocol) => {
    const port = await serveSockets(() => undefined);
    expect(kindOf(await check(port, { protocol, security: "none" }, { timeoutMs: 200 }))).toBe("timeout");
    expect(kindOf(await check(port, { protocol, security: "starttls" }, { timeoutMs: 200 }))).toBe("timeout");
  });

  it.each(["imap", "pop3"] as const)("over %s with STARTTLS has presented its certificate", async (protocol) => {
    const port = await serveTls(certificate, protocol);
    const outcome = await check(port, { protocol, security: "starttls", ...login }, { timeoutMs: 1000 });
    expect(outcome).toMatchObject({ error: { kind: "timeout" } });
    expect(outcome).toHaveProperty("certificateExpiresAtMs");
  });
});
