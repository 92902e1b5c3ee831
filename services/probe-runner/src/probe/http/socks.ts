import { isIP, type Socket } from "node:net";
import { parseAddress } from "@sonde/kit/addresses";
import type { ProbeFailure } from "../probe.ts";

type SocksRequest = {
  host: string;
  port: number;
  proxy: { login: { username: string; password: string } | undefined };
};

const version = 5;
const byLogin = 2;
const noneAccepted = 0xff;

/** Replies (RFC 1928 §6) that concern the target, worded like errors of a direct connection. */
const targetFailures: Record<number, string> = {
  3: "The network is unreachable",
  4: "The host is unreachable",
  5: "The connection was refused",
  6: "The connection timed out",
};

const failure = (message: string): ProbeFailure => ({ kind: "connect", message });
const foreign = failure("The proxy does not speak SOCKS 5");

/** Parses the current reply: the length of the final one, a failure, or `undefined` if incomplete or another follows. */
type Read = (reply: Buffer) => ProbeFailure | number | undefined;

/** Requests a connection through a SOCKS 5 proxy (RFC 1928, RFC 1929). Calls `done` once, with the failure if any. */
export function connectThroughSocks(
  socket: Socket,
  { host, port, proxy: { login } }: SocksRequest,
  done: (failure?: ProbeFailure) => void,
): void {
  let reply = Buffer.alloc(0);
  let read: Read = readMethod;

  const end = (found?: ProbeFailure) => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    done(found);
  };
  const onEnd = () => end(failure("The proxy cannot be used: The connection was closed without a response"));
  const onData = (chunk: Buffer) => {
    reply = Buffer.concat([reply, chunk]);
    const found = read(reply);
    if (typeof found !== "number") return found && end(found);
    const rest = reply.subarray(found);
    // An HTTP/2 target sends its settings first. Pause the socket so that they wait for the next reader.
    if (rest.length > 0) {
      socket.readableFlowing = null;
      socket.unshift(rest);
    }
    end();
  };
  const send = (bytes: Uint8Array, next: Read) => {
    reply = Buffer.alloc(0);
    read = next;
    socket.write(bytes);
    return undefined;
  };

  function readMethod([first, method]: Buffer) {
    if (first !== undefined && first !== version) return foreign;
    if (method === undefined) return undefined;
    if (method === noneAccepted) return failure(login ? "The proxy refused the login" : "The proxy requires a login");
    if (method !== byLogin) return method === 0 ? request() : foreign;
    if (login === undefined) return foreign;
    const [username, password] = [Buffer.from(login.username), Buffer.from(login.password)];
    const bytes = Buffer.concat([Buffer.of(1, username.length), username, Buffer.of(password.length), password]);
    return send(bytes, ([, status]) => {
      if (status === undefined) return undefined;
      return status === 0 ? request() : failure("The proxy refused the login");
    });
  }

  const request = () =>
    send(Buffer.concat([Buffer.of(version, 1, 0), target(host), Buffer.of(port >> 8, port & 255)]), readReply);

  socket.on("data", onData);
  socket.once("end", onEnd);
  send(login === undefined ? Buffer.of(version, 1, 0) : Buffer.of(version, 2, 0, byLogin), readMethod);
}

function readReply(reply: Buffer): ProbeFailure | number | undefined {
  const [first, code, , type, length] = reply;
  if (first !== undefined && first !== version) return foreign;
  if (code === undefined) return undefined;
  if (code === 2) return failure("The proxy does not allow this connection");
  if (code !== 0)
    return failure(`The proxy did not connect: ${targetFailures[code] ?? `The proxy returned error ${code}`}`);
  if (type === undefined || length === undefined) return undefined;
  const bytes = { 1: 4, 4: 16, 3: length + 1 }[type];
  if (bytes === undefined) return foreign;
  return reply.length < 6 + bytes ? undefined : 6 + bytes;
}

function target(host: string): Buffer {
  if (isIP(host) === 0) {
    const name = Buffer.from(host).subarray(0, 255);
    return Buffer.concat([Buffer.of(3, name.length), name]);
  }
  const bytes = Buffer.from(parseAddress(host)?.toByteArray() ?? []);
  return Buffer.concat([Buffer.of(bytes.length === 4 ? 1 : 4), bytes]);
}
