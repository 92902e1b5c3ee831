import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import { lastLine, type MailDialogue, mailDialogues, type MailLogin, takeTurns } from "../mail.ts";
import type { AnyTarget, Fault, Probe, ProbeContext } from "../probe.ts";
import { readReplies, runSession, serverOfCheck, type ServerSession, type SessionServer } from "../session.ts";

/** Some dozens are usual, for greeting and capabilities. */
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

/** Waits for the greeting, and logs in where that is configured. Never rejects. */
function probeMail(target: MailTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session));
}

async function speak(
  { dialogue, login, security }: MailTarget,
  { socket, quote }: ServerSession,
): Promise<Fault | undefined> {
  const { name, greeting, isKnown, turns, farewell } = dialogue;
  const replies = readReplies(socket);
  const faultOf = (reply: string, isLogin?: true): Fault => {
    const said = quote(lastLine(reply));
    if (!isKnown(reply)) return { kind: "protocol", message: `The server does not speak ${name}, it said ${said}` };
    if (isLogin) return { kind: "status", message: `The login was refused: ${said}` };
    return { kind: "status", message: `The server answered with an error: ${said}` };
  };
  // With STARTTLS the greeting came before.
  if (security === "atOnce" || security === "never") {
    const greeted = await replies.next(greeting.read);
    if (!greeting.isGood(greeted)) return faultOf(greeted);
  }
  const failed = await takeTurns(turns(login), replies, (text) => void socket.write(text));
  socket.write(farewell);
  return failed && faultOf(failed.reply, failed.turn.isLogin);
}
