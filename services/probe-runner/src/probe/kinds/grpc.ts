import { BinaryReader, BinaryWriter, WireType } from "@bufbuild/protobuf/wire";
import { clipText } from "@sonde/kit/clip";
import type { CheckOf } from "@sonde/proto/http/monitors/kinds";
import type { ClientHttp2Stream, IncomingHttpHeaders } from "node:http2";
import { TLSSocket } from "node:tls";
import { closedEarly, closedSilently } from "../failures.ts";
import type { AnyTarget, ProbeFailure, Probe, ProbeContext } from "../probe.ts";
import {
  maxSessionBytes,
  runSession,
  serverOfCheck,
  type ServerSession,
  type SessionServer,
  tooMuch,
} from "../session.ts";

export interface GrpcTarget extends AnyTarget<"grpc">, SessionServer {
  service: string;
}

export const probe: Probe<"grpc", GrpcTarget> = { compile: compileGrpc, run: probeGrpc };

function compileGrpc(check: CheckOf<"grpc">): GrpcTarget {
  return { kind: "grpc", ...serverOfCheck(check, "atOnce"), alpn: "h2", service: check.service ?? "" };
}

function probeGrpc(target: GrpcTarget, ctx: ProbeContext) {
  return runSession(target, ctx, (session) => speak(target, session));
}

function speak({ host, service, security }: GrpcTarget, { socket }: ServerSession): Promise<ProbeFailure | undefined> {
  // Loaded on demand: most runners never need it.
  const { connect } = process.getBuiltinModule("node:http2");
  const scheme = security === "never" ? "http" : "https";
  const notHttp2: ProbeFailure = {
    kind: "protocol",
    message: "The server does not support HTTP/2, which gRPC requires",
  };
  if (socket instanceof TLSSocket && socket.alpnProtocol !== "h2") return Promise.resolve(notHttp2);
  return new Promise((resolve, reject) => {
    let isHttp2 = false;
    const session = connect(`${scheme}://${host}`, { createConnection: () => socket, settings: { enablePush: false } });
    session.once("remoteSettings", () => (isHttp2 = true));
    const fail = (error: Error & { code?: string }) =>
      error.code === "ERR_HTTP2_ERROR" && !isHttp2 ? resolve(notHttp2) : reject(error);
    session.on("error", fail);
    const stream = session.request({
      ":method": "POST",
      ":path": "/grpc.health.v1.Health/Check",
      "content-type": "application/grpc",
      te: "trailers",
      "user-agent": "Sonde",
    });
    stream.on("error", fail);
    void readAnswer(stream, service).then((failure) => {
      resolve(failure);
      session.destroy();
    });
    stream.end(messageOf(service));
  });
}

/** Encodes a HealthCheckRequest with gRPC's prefix: uncompressed flag and length. */
function messageOf(service: string): Buffer {
  const message = new BinaryWriter().tag(1, WireType.LengthDelimited).string(service).finish();
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

function readAnswer(stream: ClientHttp2Stream, service: string): Promise<ProbeFailure | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let headers: IncomingHttpHeaders | undefined;
    stream.once("response", (sent) => (headers = sent));
    // Status and message are in the trailers, or in the headers if there is no body.
    stream.once("trailers", (sent: IncomingHttpHeaders) => (headers = { ...headers, ...sent }));
    stream.on("data", (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes > maxSessionBytes) return resolve(tooMuch);
      chunks.push(chunk);
    });
    stream.once("close", () => {
      if (headers === undefined) return resolve(closedSilently);
      resolve(judge(headers, Buffer.concat(chunks), service));
    });
  });
}

const servingStatuses = ["UNKNOWN", "SERVING", "NOT_SERVING", "SERVICE_UNKNOWN"];
const notFound = 5;
const unimplemented = 12;

function judge(headers: IncomingHttpHeaders, body: Buffer, service: string): ProbeFailure | undefined {
  const { ":status": status, "content-type": type = "", "grpc-status": code, "grpc-message": given } = headers;
  if (Number(status) !== 200) return { kind: "status", message: `Expected status 200, got ${String(status)}` };
  if (!type.startsWith("application/grpc")) {
    return { kind: "protocol", message: `The server does not speak gRPC; it replied ${clipText(type, 60)}` };
  }
  if (code === undefined) return closedEarly;
  if (Number(code) === notFound) return { kind: "status", message: `The server does not know the service ${service}` };
  if (Number(code) === unimplemented)
    return { kind: "status", message: "The server has no health service (grpc.health.v1)" };
  if (Number(code) !== 0) {
    const message = clipText(decode(String(given ?? "")), 60);
    return { kind: "status", message: `The server returned gRPC status ${Number(code)}: ${message}` };
  }
  const serving = servingStatuses[servingOf(body)] ?? "UNKNOWN";
  return serving === "SERVING" ? undefined : { kind: "status", message: `The service reports ${serving}` };
}

function servingOf(body: Buffer): number {
  try {
    const reader = new BinaryReader(body.subarray(5));
    while (reader.pos < reader.len) {
      const [field, wire] = reader.tag();
      if (field === 1 && wire === WireType.Varint) return reader.int32();
      reader.skip(wire);
    }
  } catch {
    // An unreadable response has no status.
  }
  return 0;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
