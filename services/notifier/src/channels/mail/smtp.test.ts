import PostalMime from "postal-mime";
import { once } from "node:events";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { makeCertificate } from "@sonde/kit/testing/certificate";
import { explainAnswer } from "@sonde/proto/http/notifications/delivery-answers";
import { afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import * as messages from "../../testing/messages.ts";
import { testEgress } from "../../testing/egress.ts";
import { start, unknownRecipient } from "../../testing/stand-ins/smtp.ts";
import type { OutgoingRequests } from "@sonde/kit/egress/requests";
import { channel } from "../types/smtp.ts";

let standIn: Awaited<ReturnType<typeof start>>;
afterEach(() => standIn.stop());

function deliver(message = messages.message(), changes = {}, { replyTo = "", answers = "", egress = testEgress } = {}) {
  const config = { ...standIn.config, ...changes };
  const body = channel.compose(message, config, replyTo === "" ? undefined : replyTo, answers || undefined);
  return channel.send({ body, config, key: message.key, atMs: 0, egress, signal: AbortSignal.timeout(20_000) });
}
const sent = (at = -1) => PostalMime.parse(standIn.accepted.at(at)?.text ?? "");

describe("a mail", () => {
  test("arrives with sender, recipients, date, subject, text and HTML, marked as automatic", async () => {
    standIn = await start();
    const to = "ops@example.com, night@example.com";
    expect(await deliver(messages.inChinese(), { from: "运维, 夜班 <alerts@example.com>", to })).toMatchObject({
      outcome: "delivered",
      statusCode: 250,
      reference: "<msg_0199a1b2c3d4@example.com>",
    });
    const mail = await sent();
    expect(mail).toMatchObject({
      from: { name: "运维, 夜班", address: "alerts@example.com" },
      to: [{ address: "ops@example.com" }, { address: "night@example.com" }],
      subject: "商城接口 无法访问",
      messageId: "<msg_0199a1b2c3d4@example.com>",
      date: "2026-11-22T08:35:12.000Z",
    });
    expect(mail.text).toContain("连接被拒绝");
    expect(mail.html).toContain("连接被拒绝");
    expect(mail.headers).toContainEqual(expect.objectContaining({ key: "auto-submitted", value: "auto-generated" }));
    expect(standIn.accepted[0]?.path).toBe(to);
  });

  test("about a recovery replies to that about its opening", async () => {
    standIn = await start();
    const opening = await deliver();
    await deliver(messages.recovery(), {}, { replyTo: "reference" in opening ? opening.reference : "" });
    const [first, second] = [await sent(0), await sent(1)];
    expect(second.inReplyTo).toBe(first.messageId);
    expect(second.references).toBe(`<incident-m42@sonde.invalid> ${first.messageId}`);
    expect(first.inReplyTo).toBeUndefined();
  });

  test("about a recovery has the subject of its opening, so that Gmail groups them", async () => {
    standIn = await start();
    await deliver(messages.recovery(), {}, { replyTo: "<msg_1@example.com>", answers: "Shop API is down" });
    expect((await sent()).subject).toBe("Re: Shop API is down");
    expect((await sent()).text).toContain(messages.recovery().title);
    await deliver(messages.recovery(), {}, { replyTo: "<msg_1@example.com>", answers: "Re: Shop API is down" });
    expect((await sent()).subject).toBe("Re: Shop API is down");
  });

  test("explains a non-ASCII recipient that a server without SMTPUTF8 refuses", async () => {
    standIn = await start(undefined, {
      hideSMTPUTF8: true,
      onRcptTo: (_address, _session, callback) =>
        callback(Object.assign(new Error("5.1.3 Bad recipient address syntax"), { responseCode: 553 })),
    });
    const answer =
      "The server did not accept jörg@example.com: it must support SMTPUTF8 for non-ASCII addresses (553 5.1.3 Bad recipient address syntax)";
    expect(await deliver(messages.message(), { to: "jörg@example.com" })).toMatchObject({ outcome: "broken", answer });
    expect(explainAnswer(answer, "zh-CN")).toContain("需要服务器支持 SMTPUTF8");
    const plain = await deliver(messages.message(), { to: "jorg@example.com" });
    expect(plain.answer).not.toContain("SMTPUTF8");
  });

  test("keeps its Message-ID when it is repeated", async () => {
    standIn = await start();
    standIn.answerNext("drop");
    expect(await deliver()).toMatchObject({ outcome: "retry" });
    expect(await deliver()).toMatchObject({ outcome: "delivered" });
    expect((await sent(0)).messageId).toBe((await sent(1)).messageId);
  });

  test("reaches the recipients that the server accepts, and reports the others", async () => {
    standIn = await start();
    const outcome = await deliver(messages.message(), { to: `ops@example.com, ${unknownRecipient}` });
    expect(outcome).toMatchObject({ outcome: "delivered" });
    expect(outcome.answer).toBe(`Not taken for ${unknownRecipient}: 550 5.1.1 No such user here`);
    expect(standIn.accepted[0]?.path).toBe("ops@example.com");
  });

  test("cannot get headers or recipients from external text", async () => {
    standIn = await start();
    const evil = "x\r\nBcc: evil@example.com\r\n\r\nbody";
    await deliver({ ...messages.message(), key: evil, title: evil });
    expect(standIn.accepted[0]?.path).toBe("ops@example.com");
    const { headers, subject } = await sent();
    expect(headers.map(({ key }) => key)).not.toContain("bcc");
    expect(subject).toMatch(/^x\s*Bcc/);
  });
});

describe("a server", () => {
  test("that refuses the login breaks the channel, with its reply", async () => {
    standIn = await start();
    expect(await deliver(messages.message(), { password: "wrong" })).toMatchObject({
      outcome: "broken",
      statusCode: 535,
      answer: expect.stringContaining("5.7.8 Authentication credentials invalid") as string,
    });
  });

  test("that requires no login gets none", async () => {
    standIn = await start(undefined, { authOptional: true });
    expect(await deliver(messages.message(), { username: undefined, password: undefined })).toMatchObject({
      outcome: "delivered",
    });
  });

  test("without STARTTLS gets neither password nor mail if STARTTLS is required", async () => {
    let logins = 0;
    standIn = await start(undefined, {
      disabledCommands: ["STARTTLS"],
      onAuth: (_auth, _session, callback) => callback(null, { user: ++logins }),
    });
    expect(await deliver(messages.message(), { security: "starttls" })).toMatchObject({ outcome: "broken" });
    expect([logins, standIn.requests.length]).toEqual([0, 0]);
  });

  test.each(["starttls", "tls"] as const)(
    "with an untrusted certificate gets neither password nor mail over %s",
    async (security) => {
      let logins = 0;
      standIn = await start(undefined, {
        ...makeCertificate({ names: ["localhost"], notAfter: new Date(Date.now() + 3_600_000) }),
        hideSTARTTLS: false,
        secure: security === "tls",
        onAuth: (_auth, _session, callback) => callback(null, { user: ++logins }),
      });
      const outcome = await deliver(messages.message(), { security, host: "localhost" });
      expect(outcome).toMatchObject({
        outcome: "retry",
        answer: "The certificate of localhost is not trusted; use CA_FILE to add your own CA",
      });
      expect([logins, standIn.requests.length]).toEqual([0, 0]);
    },
  );

  test.each(["starttls", "tls"] as const)(
    "with a certificate for its name gets the mail over %s, one with another name does not",
    async (security) => {
      const { key, cert } = makeCertificate({ names: ["localhost"], notAfter: new Date(Date.now() + 3_600_000) });
      const trusted = getCACertificates();
      setDefaultCACertificates([...trusted, cert]);
      try {
        const secured: boolean[] = [];
        standIn = await start(undefined, {
          key,
          cert,
          hideSTARTTLS: false,
          secure: security === "tls",
          allowInsecureAuth: false,
          onMailFrom: (_address, session, callback) => callback(void secured.push(session.secure)),
        });
        expect(await deliver(messages.message(), { security, host: "localhost" })).toMatchObject({
          outcome: "delivered",
        });
        expect(secured).toEqual([true]);
        const egress: OutgoingRequests = { ...testEgress, addressOf: () => Promise.resolve("127.0.0.1") };
        const other = await deliver(messages.message(), { security, host: "mail.example.com" }, { egress });
        expect(other).toMatchObject({
          outcome: "retry",
          answer: "The certificate of mail.example.com does not cover this name",
        });
        expect(standIn.requests).toHaveLength(1);
      } finally {
        setDefaultCACertificates(trusted);
      }
    },
  );

  test("is dialled at the address that the guard allowed, not where its name resolves", async () => {
    standIn = await start();
    const asked: string[] = [];
    const egress: OutgoingRequests = {
      ...testEgress,
      addressOf: (host) => Promise.resolve(asked.push(host)).then(() => "127.0.0.1"),
    };
    expect(await deliver(messages.message(), { host: "mail.example.com" }, { egress })).toMatchObject({
      outcome: "delivered",
    });
    expect(asked).toEqual(["mail.example.com"]);
  });

  test("is never dialled without an address, which nodemailer would treat as localhost", async () => {
    standIn = await start();
    for (const address of ["", "localhost"]) {
      const egress: OutgoingRequests = { ...testEgress, addressOf: () => Promise.resolve(address) };
      expect(await deliver(messages.message(), { host: "mail.example.com" }, { egress })).toEqual({
        outcome: "retry",
        answer: "mail.example.com has no address",
      });
    }
    expect(standIn.requests).toEqual([]);
  });

  test("that is unreachable is retried", async () => {
    standIn = await start();
    const { port } = standIn.config;
    await standIn.stop();
    expect(await deliver(messages.message(), { port })).toMatchObject({ outcome: "retry" });
    standIn = await start();
  });
});

describe("a mail server that sends without end", () => {
  test.each([
    ["lines", "\n".repeat(5000)],
    ["bytes", "a".repeat(70_000)],
  ])("sending %s fails the mail at once, and leaves nothing running", async (_what, flood) => {
    const port = await hostileServer((socket) => void socket.write(`220 a\r\n${flood}`));
    standIn = await start();
    const immediates = vi.spyOn(globalThis, "setImmediate");
    expect(await deliver(messages.message(), { port })).toEqual({
      statusCode: undefined,
      outcome: "retry",
      answer: "The server's response is too large",
    });
    expect(immediates.mock.calls.length).toBeLessThan(1200);
  });
});

async function hostileServer(onSocket: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on("error", () => socket.destroy());
    onTestFinished(() => void socket.destroy());
    onSocket(socket);
  }).listen(0, "127.0.0.1");
  onTestFinished(() => void server.close());
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}
