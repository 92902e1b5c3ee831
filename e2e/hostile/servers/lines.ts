import type { Random } from "../random.ts";

const lines = (...texts: string[]) => texts.map((text) => Buffer.from(text, "latin1"));

export const redisAnswers = (random: Random): Buffer[] =>
  lines(random.pick(["+OK\r\n", "-NOAUTH x\r\n", "-ERR x\r\n", "$5\r\nhello\r\n"]), "+PONG\r\n");

/** A greeting, capabilities, and responses to a login, STARTTLS or sending a mail. */
export function smtpAnswers(random: Random): Buffer[] {
  const capabilities = ["250-a\r\n", "250-SIZE 1000\r\n", "250-AUTH PLAIN LOGIN CRAM-MD5\r\n", "250-STARTTLS\r\n"];
  const offered = capabilities.filter(() => random.chance(0.7)).join("");
  const greeting = random.pick(["220 a ESMTP\r\n", "220-a\r\n220 b\r\n", "554 no\r\n", "421 bye\r\n"]);
  const later = ["235 ok\r\n", "250 ok\r\n", "334 \r\n", "354 go\r\n", "220 go\r\n", "550 no\r\n", "451 later\r\n"];
  return lines(greeting, `${offered}250 8BITMIME\r\n`, ...Array.from({ length: 8 }, () => random.pick(later)));
}

export const imapAnswers = (random: Random): Buffer[] =>
  lines(
    random.pick(["* OK a\r\n", "* BYE a\r\n", "* PREAUTH a\r\n"]),
    random.pick(["* CAPABILITY a\r\nb OK in\r\n", "b NO no\r\n", "a OK a\r\n", "+ \r\n"]),
    "b OK a\r\n",
  );

export const popAnswers = (random: Random): Buffer[] =>
  lines(random.pick(["+OK a\r\n", "-ERR a\r\n"]), "+OK\r\n", random.pick(["+OK\r\n", "-ERR no\r\n"]));

export const tcpAnswers = (random: Random): Buffer[] => [random.bytes(random.below(5000)), Buffer.from("wanted")];

/** A TLS record with the start of a handshake (RFC 8446 §5.1). */
export function tlsAnswers(random: Random): Buffer[] {
  const body = Buffer.concat([
    Buffer.from([2, 0, 0, 70, 3, 3]),
    random.bytes(32),
    Buffer.from([0, 0x13, 1, 0, 0, 6]),
    random.bytes(6),
  ]);
  const record = (type: number, content: Buffer) =>
    Buffer.concat([Buffer.from([type, 3, 3, content.length >> 8, content.length & 255]), content]);
  const alert = record(21, Buffer.from([2, random.below(130)]));
  return [
    Buffer.concat([record(22, body), random.pick([alert, record(20, Buffer.from([1])), record(23, random.bytes(60))])]),
  ];
}
