import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { lastLine, type MailDialogue, mailDialogues, type MailLogin, takeTurns } from "../mail.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import { readReplies, runSession, serverOfCheck, type ServerSession, type SessionServer } from "../session.ts";

/** Greeting and capabilities usually need a few dozen lines. */
const maxLines = 500;

export interface MailTarget extends AnyTarget<"mail">, SessionServer {
  dialogue: MailDialogue;
  login: MailLogin | undefined;
}

export const probe: Probe<"mail", MailTarget> = { compile: compileMail, run: probeMail };

function compileMail(check: CheckOf<"mail">): MailTarget {
  const { protocol, security, username = "", password } = check;
  return {
    kind: "mail",
    ...serverOfCheck({ ...check, tls: security !== "none" }, security === "starttls" ? protocol : "atOnce"),
    maxLines,
    dialogue: mailDialogues[protocol],
    login: password === undefined ? undefined : { username, password },
  };
}

function probeMail(target: MailTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session));
}

async function speak(
  { dialogue, login, security }: MailTarget,
  { socket, quote }: ServerSession,
): Promise<ProbeFailure | undefined> {
  const { name, greeting, isKnown, turns, farewell } = dialogue;
  const replies = readReplies(socket);
  const failureOf = (reply: string, isLogin?: true): ProbeFailure => {
    const quoted = quote(lastLine(reply));
    if (!isKnown(reply))
      return { kind: "protocol", message: `The server does not speak ${name}; it replied ${quoted}` };
    if (isLogin) return { kind: "status", message: `The login was refused: ${quoted}` };
    return { kind: "status", message: `The server returned an error: ${quoted}` };
  };
  // With STARTTLS the greeting was already read.
  if (security === "atOnce" || security === "never") {
    const greeted = await replies.next(greeting.read);
    if (!greeting.isGood(greeted)) return failureOf(greeted);
  }
  const failed = await takeTurns(turns(login), replies, (text) => void socket.write(text));
  socket.write(farewell);
  return failed && failureOf(failed.reply, failed.turn.isLogin);
}
