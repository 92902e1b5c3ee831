import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import {
  endOfLine,
  readReplies,
  runSession,
  serverOfCheck,
  type ServerSession,
  type SessionServer,
} from "../session.ts";

/** Each command has one reply line. */
const maxLines = 10;

export interface RedisTarget extends AnyTarget<"redis">, SessionServer {
  login: readonly string[] | undefined;
}

export const probe: Probe<"redis", RedisTarget> = { compile: compileRedis, run: probeRedis };

function compileRedis(check: CheckOf<"redis">): RedisTarget {
  const { username, password } = check;
  const login = password === undefined ? undefined : ["AUTH", ...(username === undefined ? [] : [username]), password];
  return { kind: "redis", ...serverOfCheck(check, "atOnce"), maxLines, login };
}

function probeRedis(target: RedisTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session));
}

async function speak({ login }: RedisTarget, { socket, quote }: ServerSession): Promise<ProbeFailure | undefined> {
  const replies = readReplies(socket);
  for (const command of login === undefined ? [["PING"]] : [login, ["PING"]]) {
    socket.write(commandOf(command));
    const reply = (await replies.next(endOfLine)).trimEnd();
    const isError = reply.startsWith("-");
    if (isError && command === login)
      return { kind: "status", message: `The login was refused: ${quote(reply.slice(1))}` };
    if (reply.startsWith("-NOAUTH")) return { kind: "status", message: "The server requires a password" };
    if (isError) return { kind: "status", message: `The server returned an error: ${quote(reply.slice(1))}` };
    const good = command === login ? "+OK" : "+PONG";
    if (reply !== good)
      return { kind: "protocol", message: `The server does not speak Redis; it replied ${quote(reply)}` };
  }
  return undefined;
}

/** Encodes a command as a RESP array of bulk strings, so that arguments cannot inject commands. */
function commandOf(words: readonly string[]): string {
  return `*${words.length}\r\n${words.map((word) => `$${Buffer.byteLength(word)}\r\n${word}\r\n`).join("")}`;
}
