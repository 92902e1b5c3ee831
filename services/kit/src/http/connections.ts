import { statusOfCode } from "@sonde/proto/http/error-codes";
import type { Message } from "@sonde/proto/http/messages";
import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { AppError } from "../errors.ts";
import { requestIdOf } from "./caller.ts";
import { hasBody } from "./request-body.ts";

const reasons: Readonly<Record<number, string>> = {
  400: "Bad Request",
  408: "Request Timeout",
  413: "Content Too Large",
};

/**
 * Responds to what never becomes a request: no HTTP, too many headers, or a late request. A connection without data is
 * closed without a response, and so is one whose response has begun: anything sent now would be read as the response to
 * the next request.
 */
export function refuseBrokenRequests(server: Server): void {
  const answers = new WeakMap<Socket, ServerResponse>();
  const remember = ({ socket }: IncomingMessage, response: ServerResponse) => void answers.set(socket, response);
  server.prependListener("request", remember);
  server.prependListener("checkContinue", remember);
  server.on("clientError", (error: NodeJS.ErrnoException, socket: Socket) => {
    const answer = answers.get(socket);
    const isUnused = socket.bytesRead === 0;
    const isAnswered = answer !== undefined && !isOver(answer) && answer.headersSent;
    if (error.code === "ECONNRESET" || !socket.writable || isUnused || isAnswered) return void socket.destroy();
    const { status, code, message } = faultOf(error.code);
    const requestId = answer === undefined || isOver(answer) ? randomUUID() : requestIdOf(answer.req);
    socket.end(write(status, { success: false, message: new AppError(code, message).message, code }, requestId));
    // A client that never reads or never closes is disconnected.
    setTimeout(() => socket.destroy(), 2_000).unref();
  });
}

/**
 * Closes connections that hold on to a socket after their part is over: a request that was answered and whose body does
 * not come whole within `bodyMs`, and one on which nothing was read or written for `silentMs`, such as an answer that
 * its client does not read. Node's own request timeout counts from the request and is made for bodies that are read.
 */
export function closeStalled(server: Server, { bodyMs, silentMs }: { bodyMs: number; silentMs: number }): void {
  server.setTimeout(silentMs);
  const watch = (request: IncomingMessage, response: ServerResponse) => {
    if (!hasBody(request)) return;
    response.once("finish", () => {
      if (!request.complete) setTimeout(() => request.complete || request.socket.destroy(), bodyMs).unref();
    });
  };
  server.prependListener("request", watch).prependListener("checkContinue", watch);
}

/**
 * Ends a request whose client disconnected during an await. The connection's `close` was emitted before a listener
 * could be added, so nothing may be counted or opened for it any more. The response is not read.
 */
export function connectionClosed(): AppError {
  return new AppError("invalid", "The connection was closed before the response");
}

/** An answer whose request was read whole belongs to the past: the connection waits for, or reads, another one. */
const isOver = ({ req, writableFinished }: ServerResponse) => req.complete && writableFinished;

type Fault = { status: number; code: "invalid" | "too_large"; message: Message };

function faultOf(code: string | undefined): Fault {
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") {
    return { status: 408, code: "invalid", message: "The request did not arrive in time" };
  }
  const overflow = code === "HPE_HEADER_OVERFLOW" || code === "HPE_CHUNK_EXTENSIONS_OVERFLOW";
  const kind = overflow ? "too_large" : "invalid";
  return { status: statusOfCode[kind], code: kind, message: "The request is malformed" };
}

function write(status: number, failure: object, requestId: string): string {
  const body = JSON.stringify(failure);
  const head = [
    `HTTP/1.1 ${status} ${reasons[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Connection: close",
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}
