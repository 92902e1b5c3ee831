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
 * Responds to invalid HTTP, too many headers, and timeouts. Closes silently without data, and if a response has
 * started: the client would read more data as the response to its next request.
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
    setTimeout(() => socket.destroy(), 2_000).unref();
  });
}

/**
 * Closes connections whose request was answered but whose body does not complete within `bodyMs`, and those idle for
 * `silentMs`. Node's request timeout starts with the request and only covers bodies that are read.
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

/** For a client that disconnected during an await. `close` was already emitted, so do not count or open anything. */
export function connectionClosed(): AppError {
  return new AppError("invalid", "The connection was closed before the response");
}

/** After a complete exchange, the connection belongs to the next request. */
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
