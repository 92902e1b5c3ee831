import { isIP, type Socket } from "node:net";
import { parseAddress } from "@sonde/kit/addresses";
import type { Fault } from "../probe.ts";

/** What a proxy of SOCKS 5 is asked for. */
type Asked = {
  /** A name, which the proxy resolves, or an address. */
  host: string;
  port: number;
  proxy: { login: { username: string; password: string } | undefined };
};

const version = 5;
const byLogin = 2;
const noneAccepted = 0xff;

/** Replies (RFC 1928 §6) that mean the target, in the words of a connection of our own. */
const targetFaults: Record<number, string> = {
  3: "The network is unreachable",
  4: "The host is unreachable",
  5: "The connection was refused",
  6: "The connection timed out",
};

const fault = (message: string): Fault => ({ kind: "connect", message });
const foreign = fault("The proxy does not speak SOCKS 5");

/** Reads a reply: the length of the last one, or a fault; undefined while more must come. */
type Read = (reply: Buffer) => Fault | number | undefined;

/** Requests a connection over a new one to a proxy (RFC 1928, RFC 1929); `done` is called once, with the fault if there is one. */
export function askSocks(socket: Socket, { host, port, proxy: { login } }: Asked, done: (fault?: Fault) => void): void {
  let reply = Buffer.alloc(0);
  let read: Read = readMethod;

  const end = (found?: Fault) => {
    socket.off("data", onData);
    socket.off("end", onEnd);
    done(found);
  };
  const onEnd = () => end(fault("The proxy cannot be used: The connection was closed without a response"));
  const onData = (chunk: Buffer) => {
    reply = Buffer.concat([reply, chunk]);
    const found = read(reply);
    if (typeof found !== "number") return found && end(found);
    const rest = reply.subarray(found);
    // A target of HTTP/2 sends its settings first. Not flowing, they wait for the next reader.
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
    if (method === noneAccepted) return fault(login ? "The proxy refused the login" : "The proxy requires a login");
    if (method !== byLogin) return method === 0 ? request() : foreign;
    if (login === undefined) return foreign;
    const [username, password] = [Buffer.from(login.username), Buffer.from(login.password)];
    const bytes = Buffer.concat([Buffer.of(1, username.length), username, Buffer.of(password.length), password]);
    return send(bytes, ([, status]) => {
      if (status === undefined) return undefined;
      return status === 0 ? request() : fault("The proxy refused the login");
    });
  }

  const request = () =>
    send(Buffer.concat([Buffer.of(version, 1, 0), target(host), Buffer.of(port >> 8, port & 255)]), readReply);

  socket.on("data", onData);
  socket.once("end", onEnd);
  send(login === undefined ? Buffer.of(version, 1, 0) : Buffer.of(version, 2, 0, byLogin), readMethod);
}

function readReply(reply: Buffer): Fault | number | undefined {
  const [first, code, , type, length] = reply;
  if (first !== undefined && first !== version) return foreign;
  if (code === undefined) return undefined;
  if (code === 2) return fault("The proxy does not allow this connection");
  if (code !== 0)
    return fault(`The proxy did not connect: ${targetFaults[code] ?? `The proxy answered with error ${code}`}`);
  if (type === undefined || length === undefined) return undefined;
  const bytes = { 1: 4, 4: 16, 3: length + 1 }[type];
  if (bytes === undefined) return foreign;
  return reply.length < 6 + bytes ? undefined : 6 + bytes;
}

/** Its type and its bytes: an address, or a name with its length. */
function target(host: string): Buffer {
  if (isIP(host) === 0) {
    const name = Buffer.from(host).subarray(0, 255);
    return Buffer.concat([Buffer.of(3, name.length), name]);
  }
  const bytes = Buffer.from(parseAddress(host)?.toByteArray() ?? []);
  return Buffer.concat([Buffer.of(bytes.length === 4 ? 1 : 4), bytes]);
}
