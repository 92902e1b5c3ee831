import type { AddressInfo } from "node:net";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import type { ReceivedRequest, Scripted, StandIn, StandInOptions } from "./stand-in.ts";

/** Scripted errors for the next mail, and the command at which they occur. */
export const refusals = {
  throttle: { at: "mail", code: 451, text: "4.7.1 Too many messages, try again later" },
  greylisted: { at: "rcpt", code: 450, text: "4.2.0 Greylisted, see you soon" },
  no_such_user: { at: "rcpt", code: 550, text: "5.1.1 No such user here" },
  sender_refused: { at: "mail", code: 553, text: "5.7.1 Sender address rejected: not owned by user" },
  spam: { at: "data", code: 554, text: "5.7.1 Message rejected as spam" },
  full: { at: "data", code: 452, text: "4.3.1 Insufficient system storage" },
} as const;
type Refusal = keyof typeof refusals;

export const unknownRecipient = "gone@example.com";

const account = { username: "sonde", password: "correct horse" };

/** Mail server for tests. Requires authentication; no TLS unless configured. */
export async function start(
  _options?: StandInOptions,
  server: Partial<SMTPServerOptions> = {},
): Promise<StandIn<"smtp", Refusal>> {
  const requests: ReceivedRequest[] = [];
  const accepted: ReceivedRequest[] = [];
  const script: Scripted<Refusal>[] = [];
  const waiting: ((request: ReceivedRequest) => void)[] = [];
  const running = new Map<string, Scripted<Refusal> | undefined>();

  const refusalAt = (id: string, command: "mail" | "rcpt" | "data") => {
    const scripted = running.get(id);
    const refusal = typeof scripted === "string" ? refusals[scripted as Refusal] : undefined;
    if (refusal?.at !== command) return undefined;
    return Object.assign(new Error(refusal.text), { responseCode: refusal.code });
  };
  const smtp = new SMTPServer({
    hideSTARTTLS: true,
    allowInsecureAuth: true,
    disableReverseLookup: true,
    logger: false,
    closeTimeout: 10,
    onConnect({ id }, callback) {
      const scripted = script.shift();
      running.set(id, scripted);
      if (scripted === "reset") return callback(Object.assign(new Error("closing"), { responseCode: 421 }));
      if (scripted !== "hang") callback();
    },
    onAuth: ({ username, password }, _session, callback) =>
      username === account.username && password === account.password
        ? callback(null, { user: username })
        : callback(Object.assign(new Error("5.7.8 Authentication credentials invalid"), { responseCode: 535 })),
    onMailFrom: (_address, { id }, callback) => callback(refusalAt(id, "mail")),
    onRcptTo: ({ address }, { id }, callback) => {
      const gone =
        address === unknownRecipient && Object.assign(new Error("5.1.1 No such user here"), { responseCode: 550 });
      callback(refusalAt(id, "rcpt") ?? (gone || undefined));
    },
    onData(stream, { id, envelope }, callback) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const to = envelope.rcptTo.map(({ address }) => address).join(", ");
        const received = receivedMail(Buffer.concat(chunks).toString(), to);
        requests.push(received);
        for (const resolve of waiting.splice(0)) resolve(received);
        const refusal = refusalAt(id, "data");
        if (refusal === undefined) accepted.push(received);
        // The server accepts the mail and closes the connection before it replies.
        if (running.get(id) === "drop") for (const connection of smtp.connections) destroy(connection);
        else callback(refusal);
      });
    },
    ...server,
  });
  // Client errors must not crash the test.
  smtp.on("error", () => {});
  await new Promise<void>((resolve) => smtp.listen(0, "127.0.0.1", resolve));
  const { port } = smtp.server.address() as AddressInfo;
  return {
    type: "smtp",
    url: `127.0.0.1:${port}`,
    config: {
      host: "127.0.0.1",
      port,
      security: "none",
      ...account,
      from: "Sonde <alerts@example.com>",
      to: "ops@example.com",
    },
    requests,
    accepted,
    answerNext: (...answers) => void script.push(...answers),
    next: () => new Promise((resolve) => waiting.push(resolve)),
    stop: () => new Promise((resolve) => smtp.close(() => resolve())),
  };
}

function destroy(connection: unknown): void {
  (connection as { _socket?: { destroy(): void } })._socket?.destroy();
}

/** Represents a mail as a request: `text` is the raw mail, `path` the recipients. */
function receivedMail(text: string, to: string): ReceivedRequest {
  const head = text.slice(0, text.indexOf("\r\n\r\n")).replaceAll(/\r\n[ \t]+/g, " ");
  const headers = head.split("\r\n").map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
  });
  return {
    atMs: Date.now(),
    method: "MAIL",
    path: to,
    query: new URLSearchParams(),
    headers: Object.fromEntries(headers),
    bytes: Buffer.from(text),
    text,
    json: undefined,
  };
}
