import { createHash } from "node:crypto";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { mutateSome } from "../mutate.ts";
import type { Random } from "../random.ts";
import type { Answer } from "../server.ts";

const megabyte = Buffer.alloc(2 ** 20);
// Compressed in advance, because that takes longer than a case.
const compressed = {
  gzip: gzipSync(Buffer.concat(Array<Buffer>(12).fill(megabyte))),
  deflate: deflateSync(megabyte),
  br: brotliCompressSync(megabyte),
};
const bodies = [
  '{"ok":true,"code":0,"errcode":0,"result":{"message_id":7},"id":"x"}',
  '{"ok":false,"error_code":429,"parameters":{"retry_after":1e308}}',
  '{"objectClassName":"domain","status":["client hold"],"events":[{"eventAction":"expiration","eventDate":"2030-01-01"}]}',
  '{"access_token":"a","token_type":"Bearer","expires_in":-1}',
  "[".repeat(60_000),
  `{"events":[${'{"eventAction":1,"eventDate":2},'.repeat(1500)}1]}`,
  "<!doctype html><meta charset=utf-16><title>x</title>",
  "\u{1F600}".repeat(2000),
  "",
];
const codes = [200, 200, 200, 201, 204, 301, 302, 400, 401, 404, 407, 413, 429, 500, 503, 101, 999, 100];
const extras = [
  "Retry-After: 99999999999999999999",
  "Retry-After: Fri, 31 Dec 9999 23:59:59 GMT",
  "Set-Cookie: a=b; Path=/; Expires=x",
  "Content-Type: text/html; charset=utf-99",
  "Location: /",
  "Location: http://[::1",
  "Location: http://169.254.169.254/",
  `X-Long: ${"x".repeat(20_000)}`,
  `Cookie: ${"a=1; ".repeat(3000)}`,
];

function response(random: Random): Buffer {
  const code = random.pick(codes);
  const fields = extras.filter(() => random.chance(0.15));
  const coding = random.chance(0.1) ? random.pick(["gzip", "deflate", "br"] as const) : undefined;
  const body = coding === undefined ? Buffer.from(random.pick(bodies)) : compressed[coding];
  if (coding !== undefined) fields.push(`Content-Encoding: ${random.pick([coding, "zstd", `${coding}, ${coding}`])}`);
  const framing = random.pick(["length", "chunked", "bytes", "close"] as const);
  if (framing === "length") fields.push(`Content-Length: ${body.length}`);
  if (framing === "chunked" || framing === "bytes") fields.push("Transfer-Encoding: chunked");
  const informed = random.chance(0.1) ? "HTTP/1.1 103 Early\r\nLink: a\r\n\r\n".repeat(random.below(5000)) : "";
  const head = `${informed}HTTP/1.1 ${code} ${"x".repeat(random.below(5))}\r\n${fields.map((field) => `${field}\r\n`).join("")}\r\n`;
  const sized = (chunk: Buffer) =>
    Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from("\r\n")]);
  if (framing === "chunked") return Buffer.concat([Buffer.from(head), sized(body), Buffer.from("0\r\n\r\n")]);
  if (framing !== "bytes") return Buffer.concat([Buffer.from(head), body]);
  const single = repeated(Buffer.from("1\r\na\r\n"), random.below(150_000));
  return Buffer.concat([Buffer.from(head), single, Buffer.from("0\r\n\r\n")]);
}

/** Up to three responses, because redirects send further requests. */
export const httpAnswers = (random: Random): Buffer[] =>
  Array.from({ length: 1 + random.below(3) }, () => response(random));

/** An RDAP bootstrap list that points to this server, then responses about a domain. */
export const rdapAnswers = (random: Random): Answer[] => [
  (received) => {
    const host = /\r\nhost: ([^\r]+)/i.exec(received.toString("latin1"))?.[1] ?? "127.0.0.1";
    const list = JSON.stringify({ services: [[["com"], [`http://${host}/`]]] });
    return Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${list.length}\r\nConnection: close\r\n\r\n${list}`);
  },
  ...httpAnswers(random),
];

const frame = (opcode: number, payload: Buffer) =>
  Buffer.concat([
    Buffer.from(
      payload.length < 126 ? [opcode, payload.length] : [opcode, 126, payload.length >> 8, payload.length & 255],
    ),
    payload,
  ]);

/** A WebSocket handshake (RFC 6455) and frames. */
export function webSocketAnswers(random: Random): Answer[] {
  const opcodes = [0x81, 0x82, 0x89, 0x8a, 0x88, 0x01, 0x00, 0x80, 0xc1];
  const frames = Array.from({ length: 1 + random.below(5) }, (): Buffer =>
    frame(random.pick(opcodes), random.bytes(random.below(300))),
  );
  const many: Buffer = random.chance(0.2) ? repeated(frame(random.pick(opcodes), Buffer.alloc(0)), 3000) : frames[0]!;
  return [
    (received) => {
      const key = /\r\nsec-websocket-key: ([^\r]+)/i.exec(received.toString("latin1"))?.[1] ?? "";
      const accept = createHash("sha1").update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
      const head = `HTTP/1.1 101 x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`;
      return Buffer.concat([Buffer.from(head), ...(random.chance(0.5) ? frames : [])]);
    },
    many,
  ];
}

const repeated = (bytes: Buffer, times: number): Buffer =>
  Buffer.alloc(bytes.length === 0 ? 0 : Math.min(bytes.length * times, 2 ** 20), bytes);

const frameOf = (random: Random) => (type: number, flags: number, stream: number, content: Buffer) => {
  const payload = mutateSome(content, random);
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
};
/** A header field without Huffman coding or the dynamic table (RFC 7541 §6.2.2). */
const field = (name: string, value: string) =>
  Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([value.length]), Buffer.from(value)]);

/** HTTP/2 frames (RFC 9113) with the response of a health service. */
export function grpcAnswers(random: Random): Buffer[] {
  const http2 = frameOf(random);
  const settings = http2(4, 0, 0, Buffer.alloc(0));
  const headers = Buffer.concat([Buffer.from([0x88]), field("content-type", "application/grpc")]);
  const data = Buffer.from([0, 0, 0, 0, 2, 8, random.below(5)]);
  const trailers = Buffer.concat([
    field("grpc-status", random.pick(["0", "5", "12", "x"])),
    field("grpc-message", "%E4"),
  ]);
  const answered: Buffer[] = [http2(1, 4, 1, headers), http2(0, 0, 1, data), http2(1, 5, 1, trailers)];
  const odd: Buffer[] = [
    http2(6, 0, 0, Buffer.alloc(8)),
    http2(4, 0, 0, Buffer.from([0, 3, 0, 0, 0, 1])),
    http2(7, 0, 0, Buffer.alloc(8)),
    http2(3, 0, 1, Buffer.from([0, 0, 0, random.below(14)])),
    http2(5, 4, 1, Buffer.alloc(4)),
    http2(8, 0, 0, Buffer.from([0x7f, 255, 255, 255])),
    http2(9, 0, 1, headers),
    http2(random.below(256), random.below(256), random.below(5), random.bytes(random.below(200))),
  ];
  const more: Buffer[] = Array.from({ length: random.below(4) }, () => random.pick(odd));
  if (random.chance(0.2)) more.push(repeated(random.pick(odd), random.below(6000)));
  for (const extra of more) answered.splice(random.below(answered.length + 1), 0, extra);
  return [Buffer.concat([settings, http2(4, 1, 0, Buffer.alloc(0)), ...answered])];
}
